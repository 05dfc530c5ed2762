import { expect } from 'chai';
import { type EventLog, type NewEvent, type StreamName } from '../../src/core/event-log.js';
import { nameHolder, nameStream, type UniqueName } from '../../src/core/name-reservation.js';
import { viewer } from '../../src/authorization/viewer.js';
import { PENDING_NAMES } from '../../src/names/pending-names-view.js';
import { interruptedNames } from '../../src/names/recovery.js';
import { createRepository, deleteRepository } from '../../src/svn/commands.js';
import { svnStream } from '../../src/svn/repository-events.js';
import { pausingLog } from '../support/pausing-log.js';
import { resumed } from '../support/resumed.js';
import { svnApi, type SvnApi } from '../svn/svn-api.js';

describe('A name between two steps of a command that is paused', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  const ports = (log: EventLog) => {
    const ids = api.service.idsOf('svn');
    return { ...api.service, log, nextRepositoryId: () => ids.next() };
  };
  const caller = () => {
    const { definitions } = api.service;
    return { viewer: viewer(definitions, definitions.userNamed('pam') ?? null), requestId: 'paused' };
  };
  const create = (log: EventLog, name: string) =>
    createRepository({ name, project_id: api.project('hydra') }, ports(log), caller());
  const remove = (log: EventLog, id: number) => deleteRepository(id, ports(log), caller());
  const unique = (name: string): UniqueName => ({ kind: 'svn', scope: api.project('hydra'), name });
  const holderOf = async (name: string) => (await nameHolder(api.service.log, unique(name)))?.id;
  const typesIn = async (stream: StreamName): Promise<readonly string[]> =>
    (await api.service.log.read(stream)).events.map(({ type }) => type);
  const is = (type: string) => (_: StreamName, events: readonly NewEvent[]) =>
    events.some((event) => event.type === type);
  /** As a worker does, whose clock is a minute ahead of the others. */
  const recover = async (log: EventLog = api.service.log): Promise<number> => {
    const end = await api.service.log.end();
    expect(await api.service.readModels.caughtUp(PENDING_NAMES, end!, 10_000)).to.equal(true);
    return resumed(interruptedNames({ ...api.service, log }), new Date(Date.now() + 60_000));
  };

  it('is borne by what the request asked for, once, although a recovery has created it meanwhile', async () => {
    const log = pausingLog(api.service.log);
    const paused = log.pauseAt(is('SvnRepositoryCreated'));
    const answer = create(log, 'created');
    const goOn = await paused;
    expect(await recover()).to.equal(1);
    goOn();
    const { id } = await answer;
    expect(await typesIn(svnStream(id))).to.deep.equal(['SvnRepositoryCreated']);
    expect(await holderOf('created')).to.equal(id);
  });

  it('is not taken again by a request whose repository was deleted meanwhile', async () => {
    const log = pausingLog(api.service.log);
    const paused = log.pauseAt(is('SvnRepositoryCreated'));
    const answer = create(log, 'deleted');
    const goOn = await paused;
    await recover();
    const first = await holderOf('deleted');
    expect((await api.remove(first!)).status).to.equal(202);
    const second = await api.created('deleted');
    goOn();
    expect((await answer).id).to.equal(first);
    expect(await typesIn(svnStream(first!))).to.deep.equal(['SvnRepositoryCreated', 'SvnRepositoryDeleted']);
    expect(await holderOf('deleted')).to.equal(second);
  });

  it('stays with who has taken it since a recovery has given it back', async () => {
    const [id, log] = [await api.created('given-back'), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('NameReleased'));
    const answer = remove(log, id);
    const goOn = await paused;
    expect(await recover()).to.equal(1);
    const next = await api.created('given-back');
    goOn();
    await answer;
    expect(await holderOf('given-back')).to.equal(next);
    expect(await typesIn(nameStream(unique('given-back')))).to.deep.equal([
      'NameReserved',
      'NameReleased',
      'NameReserved',
    ]);
  });

  it('stays with who has taken it while the recovery was paused that gives it back', async () => {
    const [id, mine, workers] = [await api.created('taken'), pausingLog(api.service.log), pausingLog(api.service.log)];
    const paused = mine.pauseAt(is('NameReleased'));
    const answer = remove(mine, id);
    const goOn = await paused;
    const recovering = workers.pauseAt(is('NameReleased'));
    const recovery = recover(workers);
    const resume = await recovering;
    goOn();
    await answer;
    const next = await api.created('taken');
    resume();
    await recovery;
    expect(await holderOf('taken')).to.equal(next);
  });

  it('is not borne again by what was deleted while the recovery was paused that creates it', async () => {
    const [mine, workers] = [pausingLog(api.service.log), pausingLog(api.service.log)];
    const paused = mine.pauseAt(is('SvnRepositoryCreated'));
    const answer = create(mine, 'gone');
    const goOn = await paused;
    const recovering = workers.pauseAt(is('SvnRepositoryCreated'));
    const recovery = recover(workers);
    const resume = await recovering;
    goOn();
    const { id } = await answer;
    expect((await api.remove(id)).status).to.equal(202);
    resume();
    await recovery;
    expect(await typesIn(svnStream(id))).to.deep.equal(['SvnRepositoryCreated', 'SvnRepositoryDeleted']);
    expect(await holderOf('gone')).to.equal(undefined);
  });
});
