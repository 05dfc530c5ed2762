import { expect } from 'chai';
import { deleteArtifact } from '../../../src/artifacts/deletions/commands.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { interruptedDeletions } from '../../../src/artifacts/deletions/recovery.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';
import { resumed } from '../../support/resumed.js';
import { freshDeletionApi, type DeletionApi } from './deletion-api.js';

describe('A deletion whose links cannot be archived yet', () => {
  let api: DeletionApi;
  before(async () => {
    api = await freshDeletionApi();
    await api.settings({ type: 'SetArchiving', enabled: true });
  });
  after(() => api.stopAll());

  it('is refused before its count: the recovery does not carry it out', async () => {
    const id = await api.created();
    const { definitions, readModels, log } = api.service;
    const user = definitions.userNamed('bob')!;
    const behind = { ...api.ports(), readModels: { ...readModels, caughtUp: () => Promise.resolve(false) } };
    const caller = { viewer: viewer(definitions, user), user, requestId: 'refused' };
    const refused = deleteArtifact({ artifactId: id, precondition: undefined }, behind, caller, () => undefined);
    expect(await rejection(refused)).to.have.property('kind', 'unavailable');
    expect((await log.read(deletionsStream(user.id))).events).to.deep.equal([]);
    await api.caughtUp();
    await resumed(interruptedDeletions(api.ports()), new Date(Date.now() + 60_000));
    await api.caughtUp();
    expect((await api.read(id, 'bob')).status).to.equal(200);
  });

  it('is carried out once it is counted, with the links that are known', async () => {
    const id = await api.created();
    const { definitions, readModels, log } = api.service;
    const user = definitions.userNamed('bob')!;
    let asked = 0;
    const caughtUp: typeof readModels.caughtUp = (projection, ...others) =>
      projection === ARTIFACTS && (asked += 1) === 2
        ? Promise.resolve(false)
        : readModels.caughtUp(projection, ...others);
    const behind = { ...api.ports(), readModels: { ...readModels, caughtUp } };
    const caller = { viewer: viewer(definitions, user), user, requestId: 'counted' };
    await deleteArtifact({ artifactId: id, precondition: undefined }, behind, caller, () => undefined);
    expect(asked).to.be.greaterThan(1);
    const types = async (stream: StreamName) => (await log.read(stream)).events.map(({ type }) => type);
    expect((await types(artifactStream(id)))[1]).to.equal('ArtifactDeleted');
    expect(await types(deletionsStream(user.id))).to.deep.equal(['DeletionCounted']);
  });

  it('is carried out once it is counted, with the links that were read before, where they cannot be read again', async () => {
    const id = await api.created();
    const source = await api.created([api.set('links', { links: [{ id, type: '' }] })]);
    const { definitions, readModels, log } = api.service;
    const user = definitions.userNamed('bob')!;
    let asked = 0;
    const findIds: typeof readModels.findIds = (...given) =>
      (asked += 1) > 1 ? Promise.reject(new Error('it does not answer')) : readModels.findIds(...given);
    const away = { ...api.ports(), readModels: { ...readModels, findIds } };
    const caller = { viewer: viewer(definitions, user), user, requestId: 'away' };
    await deleteArtifact({ artifactId: id, precondition: undefined }, away, caller, () => undefined);
    expect(asked).to.be.greaterThan(1);
    const { events } = await log.read(artifactStream(id));
    expect(events.at(1)).to.have.property('type', 'ArtifactDeleted');
    expect(events.at(1)?.data).to.have.nested.property('toArchive.linkedFrom[0].id', source);
  });

  it('is tried again by the recovery, where a crash left its count', async () => {
    const id = await api.created();
    const { definitions, readModels, log } = api.service;
    const user = definitions.userNamed('bob')!;
    const lost: typeof log.append = (stream, ...asked) =>
      stream === artifactStream(id) ? Promise.reject(new Error('the process ends')) : log.append(stream, ...asked);
    const crashing = { ...api.ports(), log: { ...log, append: lost } };
    const caller = { viewer: viewer(definitions, user), user, requestId: 'lost' };
    const cut = deleteArtifact({ artifactId: id, precondition: undefined }, crashing, caller, () => undefined);
    expect(await rejection(cut)).to.have.property('message', 'the process ends');
    await api.caughtUp();
    const behind = { ...api.ports(), readModels: { ...readModels, caughtUp: () => Promise.resolve(false) } };
    const later = new Date(Date.now() + 60_000);
    expect(await rejection(resumed(interruptedDeletions(behind), later))).to.have.property('kind', 'unavailable');
    expect(await resumed(interruptedDeletions(api.ports()), later)).to.equal(1);
    await api.caughtUp();
    expect((await api.read(id, 'bob')).status).to.equal(404);
  });
});
