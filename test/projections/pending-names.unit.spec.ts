import { expect } from 'chai';
import { pendingNames } from '../../projections/pending-names.js';
import { type Event } from '../../src/core/event-log.js';
import { nameStream, type UniqueName } from '../../src/core/name-reservation.js';
import { pendingNameId, pendingNamesViews } from '../../src/names/pending-names-view.js';
import { projected } from '../support/projected.js';

const KINDS: readonly { readonly kind: UniqueName['kind']; readonly created: Event }[] = [
  { kind: 'user', created: { type: 'UserRegistered', data: { userId: 120 } } },
  { kind: 'project', created: { type: 'ProjectRegistered', data: { projectId: 120 } } },
  { kind: 'tracker', created: { type: 'TrackerDefined', data: { trackerId: 120 } } },
  { kind: 'svn', created: { type: 'SvnRepositoryCreated', data: { repositoryId: 120 } } },
];

const reserved = (unique: UniqueName): Event => ({
  type: 'NameReserved',
  data: { ...unique, id: 120, commandId: 'c-1', creation: { secret: 'of no use here' } },
});
const released = (unique: UniqueName): Event => ({ type: 'NameReleased', data: { ...unique, id: 120 } });

describe('the names that wait for what bears them', () => {
  for (const { kind, created } of KINDS) {
    it(`are those of a ${kind} until there is one`, () => {
      const unique: UniqueName = { kind, scope: 110, name: 'repo01' };
      const view = projected(pendingNames).happened(nameStream(unique), [reserved(unique)]);
      expect(view.document(pendingNamesViews, pendingNameId(kind, 120))).to.deep.equal({
        id: `${kind}-120`,
        ...unique,
        bearer: 120,
        step: 'create',
        actor: null,
        at: '2026-03-01T12:00:00.000Z',
      });
      view.happened(`${kind}-120`, [created]);
      expect(view.document(pendingNamesViews, pendingNameId(kind, 120))).to.equal(null);
    });
  }

  it('are those of deleted repositories until they are given back', () => {
    const unique: UniqueName = { kind: 'svn', scope: 110, name: 'repo01' };
    const view = projected(pendingNames).happened('svn-120', [
      { type: 'SvnRepositoryCreated', data: { repositoryId: 120 } },
      { type: 'SvnRepositoryDeleted', data: { repositoryId: 120, projectId: 110, name: 'repo01' } },
    ]);
    expect(view.document(pendingNamesViews, 'svn-120')).to.include({ ...unique, bearer: 120, step: 'release' });
    view.happened(nameStream(unique), [released(unique)]);
    expect(view.document(pendingNamesViews, 'svn-120')).to.equal(null);
  });
});
