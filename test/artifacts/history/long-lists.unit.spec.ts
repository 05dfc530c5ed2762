import { expect } from 'chai';
import { historyPage } from '../../../src/artifacts/history/queries.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { artifactOf, definitionsOf, fieldOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';
import { turnsOf } from '../../support/turns.js';

const USERS = 1000;
const EVENTS = 40;

const users = Array.from({ length: USERS }, (_, n) => userOf(1000 + n));
const ids = users.map(({ id }) => id);
const tracker = trackerOf([fieldOf(500, 'msb', { bind: 'users', from: [3] })]);
const definitions = definitionsOf({ users, projects: [projectOf({ members: ids })], trackers: [tracker] });
const events = Array.from({ length: EVENTS }, (_, revision) => ({
  type: revision === 0 ? 'ArtifactSubmitted' : 'ArtifactValuesChanged',
  revision,
  position: String(revision),
  data: { artifactId: 1, trackerId: tracker.id, values: { 500: ids.slice(revision) } },
  metadata: { actor: null, at: '2026-01-01T00:00:00.000Z' },
}));
const read = (_: string, { from = 0, to = EVENTS - 1 }: { readonly from?: number; readonly to?: number }) =>
  Promise.resolve({ events: events.slice(from, to + 1), revision: to });
const stores: unknown = {
  log: { read },
  readModels: { get: () => Promise.resolve(artifactOf(1)) },
};
const auditing = { ...(stores as Parameters<typeof historyPage>[2]), definitions, viewer: viewer(definitions, null) };

describe('the history of an artifact with long lists', () => {
  it('is told event by event, and others have their turn in between', async () => {
    const { texts } = await historyPage(1, { order: 'asc', limit: 1000, offset: 0 }, auditing);
    const entries: string[] = [];
    const turns = await turnsOf(async () => {
      for await (const some of texts) entries.push(...some);
    });
    expect(entries).to.have.length(EVENTS);
    const [change] = JSON.parse(entries[1] ?? '').changes;
    expect([change.before, change.after].map(({ length }) => length)).to.deep.equal([USERS, USERS - 1]);
    expect(turns).to.be.at.least(EVENTS / 2);
  });
});
