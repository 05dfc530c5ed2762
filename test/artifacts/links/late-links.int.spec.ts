import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { changeArtifact } from '../../../src/artifacts/commands.js';
import { submitOnce } from '../../../src/artifacts/idempotency/commands.js';
import { PENDING_LINKS, pendingLinksViews } from '../../../src/artifacts/links/pending-links-view.js';
import { interruptedLinks } from '../../../src/artifacts/links/recovery.js';
import { type EventLog, type StreamName } from '../../../src/core/event-log.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { artifactPorts } from '../../../src/composition/http-server.js';
import { pausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('A request that is paused before it writes links at their sources', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const change = (log: EventLog, artifactId: number, ...values: readonly unknown[]) => {
    const { definitions } = api.service;
    const caller = { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'paused' };
    const written = { values: [...values] };
    const ports = { ...artifactPorts(api.service), log };
    return changeArtifact({ artifactId, written, comment: undefined, precondition: () => true }, ports, caller);
  };
  const caughtUp = async (): Promise<void> => {
    const end = await api.service.log.end();
    for (const name of [PENDING_LINKS, 'artifacts']) {
      expect(await api.service.readModels.caughtUp(name, end!, 30_000)).to.equal(true);
    }
  };
  /** As a worker does, whose clock is a minute ahead of the others. */
  const recover = async (log: EventLog = api.service.log): Promise<number> => {
    await caughtUp();
    const written = await resumed(interruptedLinks({ ...api.service, log }), new Date(Date.now() + 60_000));
    await caughtUp();
    return written;
  };
  const pending = async (): Promise<number> => {
    const page = { where: [], direction: 'asc', limit: 10, offset: 0 } as const;
    return (await api.service.readModels.find(pendingLinksViews, page)).total;
  };
  const created = (count: number) => Promise.all(Array.from({ length: count }, () => api.created()));
  const all = (...ids: readonly number[]) => ({
    all_links: ids.map((id) => ({ id, direction: 'reverse', type: '_is_child' })),
  });
  const reverse = (...ids: readonly number[]) => api.set('links', all(...ids));
  const links = (...ids: readonly number[]) => api.set('links', { links: ids.map((id) => ({ id })) });
  const isAt = (id: number) => (stream: StreamName) => stream === artifactStream(id);
  const eventsAt = async (id: number): Promise<number> =>
    (await api.service.log.read(artifactStream(id))).events.length;
  /** A change of the target by a process that is paused before it writes to the source. */
  const pausedAt = async (source: number, target: number, value: object) => {
    const log = pausingLog(api.service.log);
    const paused = log.pauseAt(isAt(source));
    const answer = change(log, target, value);
    return { answer, goOn: await paused };
  };
  const reverseOf = async (id: number) => (await api.links(id)).reverse;

  it('writes each once, although a recovery has written all of them meanwhile', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const { answer, goOn } = await pausedAt(one, target, reverse(one, other));
    expect(await recover()).to.equal(2);
    goOn();
    await answer;
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([`${one} _is_child`, `${other} _is_child`]);
    expect([await eventsAt(one), await eventsAt(other), await recover(), await pending()]).to.deep.equal([2, 2, 0, 0]);
  });

  it('reads the source once, however long its stream is', async () => {
    const [target = 0, source = 0] = await created(2);
    for (const title of ['One', 'Two', 'Three']) await api.changed(source, [api.titled(title)]);
    const reads: number[] = [];
    const log: EventLog = {
      ...api.service.log,
      read: async (stream, part) => {
        const slice = await api.service.log.read(stream, part);
        if (isAt(source)(stream)) reads.push(slice.events.length);
        return slice as never;
      },
    };
    await change(log, target, reverse(source));
    // Whole for its bounds, then whether there is more.
    expect(reads).to.deep.equal([4, 1]);
    expect(await reverseOf(target)).to.deep.equal([`${source} _is_child`]);
  });

  it('leaves alone what users have changed at the sources since a recovery has written them', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const { answer, goOn } = await pausedAt(one, target, reverse(one, other));
    expect(await recover()).to.equal(2);
    await api.changed(one, [links()]);
    await api.changed(other, [links(target)]);
    goOn();
    await answer;
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([String(other)]);
    expect([await eventsAt(one), await eventsAt(other)]).to.deep.equal([3, 3]);
  });

  it('gives way to what users have changed at the sources since it was asked for', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const { answer, goOn } = await pausedAt(one, target, reverse(one, other));
    await api.changed(one, [links(target)]);
    await api.changed(other, [links(target)]);
    await api.changed(other, [links()]);
    await api.changed(other, [api.titled('Unrelated')]);
    goOn();
    await answer;
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([String(one)]);
    expect([await eventsAt(one), await eventsAt(other)]).to.deep.equal([2, 4]);
    expect([await recover(), await pending()]).to.deep.equal([0, 0]);
  });

  it('takes links away once, and not again those that users have set since', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    await api.changed(target, [reverse(one, other)]);
    const { answer, goOn } = await pausedAt(one, target, reverse());
    expect(await recover()).to.equal(2);
    await api.changed(other, [links(target)]);
    goOn();
    await answer;
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([String(other)]);
    expect([await eventsAt(one), await eventsAt(other)]).to.deep.equal([3, 4]);
  });

  it('takes effect after a later request of the same target, and leaves what that one wrote', async () => {
    const [target = 0, source = 0] = await created(2);
    const { answer, goOn } = await pausedAt(source, target, reverse(source));
    const plain = { all_links: [{ id: source, direction: 'reverse', type: 'fixed_in' }] };
    await api.changed(target, [api.set('links', plain)]);
    goOn();
    await answer;
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([`${source} fixed_in`]);
    expect(await recover()).to.equal(0);
    expect(await reverseOf(target)).to.deep.equal([`${source} fixed_in`]);
  });

  it('writes what a recovery was about to write, which then leaves alone what users have changed since', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const workers = pausingLog(api.service.log);
    const { answer, goOn } = await pausedAt(one, target, reverse(one, other));
    const recovering = workers.pauseAt(isAt(one));
    const recovery = recover(workers);
    const resume = await recovering;
    goOn();
    await answer;
    await api.changed(one, [links()]);
    await api.changed(other, [links()]);
    resume();
    // Of the one it cannot tell who wrote the link, of the other it sees that nothing is left to do.
    expect(await recovery).to.equal(1);
    expect(await reverseOf(target)).to.deep.equal([]);
    expect([await eventsAt(one), await eventsAt(other), await recover()]).to.deep.equal([3, 3, 0]);
  });

  it('writes nothing that the recoveries of two workers at once write twice', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const { answer, goOn } = await pausedAt(one, target, reverse(one, other));
    const workers = [pausingLog(api.service.log), pausingLog(api.service.log)];
    const pauses = workers.map((worker) => worker.pauseAt(isAt(one)));
    const recoveries = workers.map((worker) => recover(worker));
    for (const resume of await Promise.all(pauses)) resume();
    goOn();
    await Promise.all([answer, ...recoveries]);
    expect([await eventsAt(one), await eventsAt(other), await recover()]).to.deep.equal([2, 2, 0]);
  });

  it('does not undo what its target has decided since', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const adding = await pausedAt(one, target, reverse(one, other));
    await api.changed(target, [reverse()]);
    expect(await reverseOf(target)).to.deep.equal([]);
    adding.goOn();
    await adding.answer;
    await caughtUp();
    expect([await reverseOf(target), await recover(), await pending()]).to.deep.equal([[], 0, 0]);

    await api.changed(target, [reverse(one, other)]);
    const removing = await pausedAt(one, target, reverse());
    await api.changed(target, [reverse(one, other)]);
    removing.goOn();
    await removing.answer;
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([`${one} _is_child`, `${other} _is_child`]);
    expect([await recover(), await pending()]).to.deep.equal([0, 0]);
  });

  it('is done for a repetition of the submission, which is answered then', async () => {
    const [one = 0, other = 0] = await created(2);
    const log = pausingLog(api.service.log);
    const paused = log.pauseAt(isAt(one));
    const { definitions } = api.service;
    const caller = { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'paused' };
    const submission = { trackerId: api.tracker('bug'), written: { values: [api.titled('New'), reverse(one, other)] } };
    const submit = (by: EventLog) =>
      submitOnce(submission, { key: 'one', body: {} }, { ...artifactPorts(api.service), log: by }, caller);
    const first = submit(log);
    const goOn = await paused;
    const { artifactId } = await submit(api.service.log);
    expect(await reverseOf(artifactId)).to.deep.equal([`${one} _is_child`, `${other} _is_child`]);
    goOn();
    expect((await first).artifactId).to.equal(artifactId);
    await caughtUp();
    expect([await eventsAt(one), await eventsAt(other), await pending()]).to.deep.equal([2, 2, 0]);
  });

  it('is no reason to decide by less while it cannot be done, and all else is done', async () => {
    const [target = 0, one = 0, other = 0] = await created(3);
    const { answer, goOn } = await pausedAt(one, target, reverse(one, other));
    const { log } = api.service;
    const append: EventLog['append'] = (stream, ...rest) =>
      isAt(one)(stream) ? Promise.reject(new Error('lost')) : log.append(stream, ...rest);
    const refusal = await rejection(change({ ...log, append }, target, reverse()));
    expect(refusal).to.include({ kind: 'unavailable' });
    await caughtUp();
    expect(await reverseOf(target)).to.deep.equal([`${other} _is_child`]);
    goOn();
    await answer;
  });

  it('is done for each of many who write links of one artifact at once', async () => {
    const [target = 0, ...sources] = await created(21);
    const answers = Array.from({ length: 24 }, (_, nth) =>
      api.changed(target, [nth % 2 === 0 ? reverse(...sources) : reverse()]),
    );
    await Promise.all(answers);
    await caughtUp();
    expect((await reverseOf(target)).length).to.be.oneOf([0, sources.length]);
    expect([await recover(), await pending()]).to.deep.equal([0, 0]);
  });
});
