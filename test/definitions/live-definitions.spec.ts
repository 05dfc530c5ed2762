import { expect } from 'chai';
import { NO_MARKS, type Marks } from '../../src/core/marks.js';
import { type Document, type ReadModel, type ReadModels } from '../../src/core/read-models.js';
import { liveDirectory } from '../../src/definitions/live-definitions.js';
import { type Directory } from '../../src/definitions/definitions.js';
import { projectViews } from '../../src/projects/project-view.js';
import { platformViews } from '../../src/platform/platform-view.js';
import { openValuesViews, trackerViews } from '../../src/trackers/tracker-view.js';
import { userViews } from '../../src/users/user-view.js';
import { projectOf, trackerViewOf, userOf } from '../support/definitions.js';

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

describe('the directory', () => {
  let directory: Directory;
  let give: ReturnType<typeof handedOver>['give'];

  beforeEach(async () => {
    const source = handedOver();
    give = source.give;
    directory = await liveDirectory(source.readModels, new AbortController().signal);
  });

  it('knows the defaults of a platform that nobody has set up', () => {
    expect(directory.platform()).to.deep.include({ anonymousAccess: true, artifactDeletionLimit: 0, linkTypes: [] });
    expect(directory.projects()).to.deep.equal([]);
    expect(directory.trackersOf(110)).to.deep.equal([]);
    expect(directory.openValues(501)).to.deep.equal([]);
  });

  it('follows the settings', () => {
    give(platformViews, [{ ...directory.platform(), id: 1, revision: 0, anonymousAccess: false }]);
    expect(directory.platform().anonymousAccess).to.equal(false);
  });

  it('finds users by id and by name in any case', () => {
    give(userViews, [userOf(101, { username: 'Alice' }), userOf(102)]);
    expect(directory.user(101)?.username).to.equal('Alice');
    expect(directory.userNamed('aLICE')?.id).to.equal(101);
    expect(directory.userNamed('nobody')).to.equal(undefined);
    expect([...directory.users()].map(({ id }) => id)).to.have.members([101, 102]);
  });

  it('lists projects by id, the same list until one changes', () => {
    give(projectViews, [projectOf({ id: 111, shortname: 'b' }), projectOf({ id: 110, shortname: 'a' })]);
    expect(directory.projects().map(({ id }) => id)).to.deep.equal([110, 111]);
    expect(directory.projects()).to.equal(directory.projects());
    expect(directory.projectNamed('A')?.id).to.equal(110);
    give(projectViews, [projectOf({ id: 110, shortname: 'a', label: 'New' })]);
    expect(directory.project(110)?.label).to.equal('New');
  });

  it('lists the trackers of a project by label, without the deleted', () => {
    give(trackerViews, [
      trackerViewOf([], { id: 121, label: 'tasks' }),
      trackerViewOf([], { id: 122, label: 'Bugs' }),
      trackerViewOf([], { id: 123, label: 'Gone', deleted: true }),
      trackerViewOf([], { id: 124, label: 'Elsewhere', projectId: 111 }),
    ]);
    expect(directory.trackersOf(110).map(({ id }) => id)).to.deep.equal([122, 121]);
    expect(directory.trackersOf(110)).to.equal(directory.trackersOf(110));
    expect(directory.tracker(123)?.view.deleted).to.equal(true);
  });

  it('knows the labels that users added to an open list', () => {
    give(openValuesViews, [{ id: 501, values: [{ number: 1, label: 'leak' }] }]);
    expect(directory.openValues(501)).to.deep.equal([{ number: 1, label: 'leak' }]);
  });

  it('forgets what a complete hand-over no longer holds', () => {
    give(userViews, [userOf(101), userOf(102)]);
    give(userViews, [userOf(102)], true);
    expect(directory.user(101)).to.equal(undefined);
    expect(directory.userNamed('user101')).to.equal(undefined);
    expect(directory.user(102)?.id).to.equal(102);
  });

  it('counts its generations', () => {
    const before = directory.generation;
    give(userViews, [userOf(101)]);
    expect(directory.generation).to.be.greaterThan(before);
  });
});
