import { expect } from 'chai';
import { deleteArtifact } from '../../../src/artifacts/deletions/commands.js';
import { interruptedDeletions } from '../../../src/artifacts/deletions/recovery.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
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
});
