import { expect } from 'chai';
import { NO_MARKS, type Mark, type Marks } from '../../src/core/marks.js';
import { type Document, type ReadModel, type ReadModels } from '../../src/core/read-models.js';
import { liveDefinitions } from '../../src/definitions/live-definitions.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { projectViews } from '../../src/projects/project-view.js';
import { platformViews } from '../../src/platform/platform-view.js';
import { openValuesViews, trackerViews } from '../../src/trackers/tracker-view.js';
import { userViews } from '../../src/users/user-view.js';
import { groupOf, projectOf, trackerViewOf, userOf } from '../support/definitions.js';

const KEY = { secretHash: '', description: '', createdAt: '', expiresAt: null, lastUsedAt: null };

/** Read models that hand over what the spec says, when it says so. */
function handedOver() {
  const receivers = new Map<string, (documents: readonly never[], complete: boolean) => void>();
  const marks = new Map<string, Marks>();
  const readModels: Pick<ReadModels, 'subscribe' | 'marks'> = {
    marks: (model) => marks.get(model) ?? NO_MARKS,
    subscribe: (model, receive) => {
      receivers.set(model.name, receive);
      receive([], true);
      return Promise.resolve();
    },
  };
  const give = <D extends Document>(model: ReadModel<D>, documents: readonly D[], complete = false): void => {
    receivers.get(model.name)?.(documents as readonly never[], complete);
  };
  return { readModels, give, marks };
}

describe('the live copy of the definitions', () => {
  let definitions: Definitions;
  let give: ReturnType<typeof handedOver>['give'];
  let marks: ReturnType<typeof handedOver>['marks'];

  beforeEach(async () => {
    const source = handedOver();
    ({ give, marks } = source);
    definitions = await liveDefinitions(source.readModels, new AbortController().signal);
  });

  it('holds the defaults of a platform without settings', () => {
    expect(definitions.platform()).to.deep.include({ anonymousAccess: true, artifactDeletionLimit: 0, linkTypes: [] });
    expect(definitions.projects()).to.deep.equal([]);
    expect(definitions.trackersOf(110)).to.deep.equal([]);
    expect(definitions.openValues(501)).to.deep.equal([]);
  });

  it('follows the settings', () => {
    give(platformViews, [{ ...definitions.platform(), id: 1, revision: 0, anonymousAccess: false }]);
    expect(definitions.platform().anonymousAccess).to.equal(false);
  });

  it('finds users by id and by name in any case', () => {
    give(userViews, [userOf(101, { username: 'Alice' }), userOf(102)]);
    expect(definitions.user(101)?.username).to.equal('Alice');
    expect(definitions.userNamed('aLICE')?.id).to.equal(101);
    expect(definitions.userNamed('nobody')).to.equal(undefined);
    expect(definitions.users().map(({ id }) => id)).to.have.members([101, 102]);
    expect(definitions.users()).to.equal(definitions.users());
  });

  it('finds users by their access keys until these are revoked', () => {
    const key = (id: number) => ({ ...KEY, id });
    give(userViews, [userOf(101, { accessKeys: [key(1), key(2)] }), userOf(102, { accessKeys: [key(3)] })]);
    give(userViews, [userOf(101, { accessKeys: [key(2), key(4)] })]);
    const found = [1, 2, 3, 4].map((id) => definitions.userWithAccessKey(id)?.id);
    expect(found).to.deep.equal([undefined, 101, 102, 101]);
    give(userViews, [userOf(101, { accessKeys: [key(5)] })], true);
    expect([2, 3, 4, 5].map((id) => definitions.userWithAccessKey(id)?.id)).to.deep.equal([
      ...[undefined, undefined, undefined],
      101,
    ]);
  });

  it('lists projects by id, the same list until one changes', () => {
    give(projectViews, [projectOf({ id: 111, shortname: 'b' }), projectOf({ id: 110, shortname: 'a' })]);
    expect(definitions.projects().map(({ id }) => id)).to.deep.equal([110, 111]);
    expect(definitions.projects()).to.equal(definitions.projects());
    expect(definitions.projectNamed('A')?.id).to.equal(110);
    give(projectViews, [projectOf({ id: 110, shortname: 'a', label: 'New' })]);
    expect(definitions.project(110)?.label).to.equal('New');
  });

  it('finds projects by their groups until these are deleted', () => {
    give(projectViews, [projectOf({ id: 110, groups: [groupOf(101), groupOf(102)] }), projectOf({ id: 111 })]);
    give(projectViews, [
      projectOf({ id: 110, groups: [groupOf(102)] }),
      projectOf({ id: 111, groups: [groupOf(103)] }),
    ]);
    const owners = () => [101, 102, 103].map((id) => definitions.projectOfGroup(id)?.id);
    expect(owners()).to.deep.equal([undefined, 110, 111]);
    give(projectViews, [projectOf({ id: 111, groups: [groupOf(102)] })], true);
    expect(owners()).to.deep.equal([undefined, 111, undefined]);
  });

  it('looks at each group once, however often projects are sought by their groups', () => {
    let reads = 0;
    const groups = Array.from({ length: 1000 }, (_, index) =>
      Object.defineProperty(groupOf(0), 'id', {
        get: () => {
          reads += 1;
          return 101 + index;
        },
      }),
    );
    give(projectViews, [projectOf({ groups })]);
    for (let id = 101; id < 3101; id += 1)
      expect(definitions.projectOfGroup(id)?.id).to.equal(id < 1101 ? 110 : undefined);
    expect(reads).to.equal(1000);
  });

  it('lists the trackers of a project by label, without the deleted', () => {
    give(trackerViews, [
      trackerViewOf([], { id: 121, label: 'tasks' }),
      trackerViewOf([], { id: 122, label: 'Bugs' }),
      trackerViewOf([], { id: 123, label: 'Gone', deleted: true }),
      trackerViewOf([], { id: 124, label: 'Elsewhere', projectId: 111 }),
    ]);
    expect(definitions.trackersOf(110).map(({ id }) => id)).to.deep.equal([122, 121]);
    expect(definitions.trackersOf(110)).to.equal(definitions.trackersOf(110));
    expect(definitions.tracker(123)?.view.deleted).to.equal(true);
  });

  it('takes a change as quickly whether all trackers are of one project or of many', () => {
    const costOf = (projectCount: number): number => {
      const trackers = Array.from({ length: 10_000 }, (_, n) =>
        trackerViewOf([], { id: 1000 + n, label: `Tracker ${n}`, projectId: 110 + (n % projectCount) }),
      );
      give(trackerViews, trackers, true);
      const costs = Array.from({ length: 5 }, () => {
        const started = process.cpuUsage();
        give(trackerViews, trackers.slice(0, 1));
        const { user, system } = process.cpuUsage(started);
        return user + system;
      });
      return Math.min(...costs);
    };
    const [ofMany, ofOne] = [costOf(1000), costOf(1)];
    expect(ofOne).to.be.below(8 * ofMany);
  });

  it('holds the labels that users added to an open list', () => {
    give(openValuesViews, [{ id: 501, values: [{ number: 1, label: 'leak' }] }]);
    expect(definitions.openValues(501)).to.deep.equal([{ number: 1, label: 'leak' }]);
  });

  it('drops definitions that a complete hand-over lacks', () => {
    give(userViews, [userOf(101), userOf(102)]);
    give(userViews, [userOf(102)], true);
    expect(definitions.user(101)).to.equal(undefined);
    expect(definitions.userNamed('user101')).to.equal(undefined);
    expect(definitions.user(102)?.id).to.equal(102);
  });

  it('has another generation after each change and each mark', () => {
    const seen = new Set([definitions.generation]);
    expect(seen.has(definitions.generation)).to.equal(true);
    give(userViews, [userOf(101)]);
    seen.add(definitions.generation);
    marks.set(userViews.name, new Map([['user-101', {} as Mark]]));
    seen.add(definitions.generation);
    give(userViews, [], true);
    seen.add(definitions.generation);
    expect(seen.size).to.equal(4);
  });
});
