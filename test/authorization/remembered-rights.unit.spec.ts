import { expect } from 'chai';
import { groupsOf } from '../../src/authorization/groups-of.js';
import { viewer } from '../../src/authorization/viewer.js';
import { ALL_USERS, PROJECT_ADMINS, PROJECT_MEMBERS, REGISTERED_USERS } from '../../src/projects/project-events.js';
import { compileTracker, type CompiledTracker } from '../../src/trackers/compiled-tracker.js';
import {
  definitionsOf,
  fieldOf,
  groupOf,
  projectOf,
  trackerOf,
  trackerViewOf,
  userOf,
} from '../support/definitions.js';
import { isHeld } from '../support/garbage.js';

describe('What is remembered of the rights of a user', () => {
  it('is no set of groups in a project of which the user is no member', () => {
    const projects = [1, 2].map((id) =>
      projectOf({ id, admins: [101], members: [102], groups: [groupOf(200, { members: [102, 103] })] }),
    );
    const [groups, others] = projects.map((project) => (id: number) => groupsOf(userOf(id), project));
    expect([...groups!(104)]).to.deep.equal([ALL_USERS, REGISTERED_USERS]);
    expect(groups!(105)).to.equal(groups!(104));
    expect(others!(104)).to.equal(groups!(104));
    expect(groups!(101)).to.equal(groups!(101));
    expect([...groups!(101)]).to.have.members([ALL_USERS, REGISTERED_USERS, PROJECT_ADMINS, PROJECT_MEMBERS]);
    expect([...groups!(102)]).to.have.members([ALL_USERS, REGISTERED_USERS, PROJECT_MEMBERS, 200]);
    expect([...groups!(103)]).to.have.members([ALL_USERS, REGISTERED_USERS, 200]);
    expect([...groupsOf(null, projects[0]!)]).to.deep.equal([ALL_USERS]);
  });

  it('is the readable part of some trackers, whatever the number of trackers', () => {
    const made: number[] = [];
    const counted = (id: number): CompiledTracker => {
      const tracker = compileTracker(trackerViewOf([], { id }));
      const restricted: CompiledTracker['restricted'] = (show) => {
        made.push(id);
        return tracker.restricted(show);
      };
      return { ...tracker, restricted };
    };
    const trackers = Array.from({ length: 150 }, (_, id) => counted(id));
    const { readable } = viewer(definitionsOf(), userOf(101));
    for (const tracker of trackers.slice(0, 100)) readable(tracker);
    for (const tracker of trackers.slice(0, 100)) readable(tracker);
    expect(made).to.have.lengthOf(100);
    for (const tracker of trackers.slice(100)) readable(tracker);
    readable(trackers[0]!);
    expect(made).to.have.lengthOf(151);
  });

  it('is no project that has changed since, with all that is known of its members', async () => {
    let project = projectOf({ members: [101] });
    const tracker = trackerOf([fieldOf(500, 'string')]);
    const definitions = { ...definitionsOf({ trackers: [tracker] }), project: () => project };
    const readers = [101, 102].map((id) => viewer(definitions, userOf(id)));
    for (const { readable } of readers) readable(tracker);
    const earlier = new WeakRef(project);
    project = projectOf();
    expect(await isHeld(earlier)).to.equal(false);
    for (const { readable } of readers) expect(readable(tracker).fields).to.deep.equal(tracker.fields);
  });

  it('is nothing that the user may no longer do', () => {
    const users = [userOf(101, { siteAdmin: true })];
    const tracker = trackerOf([fieldOf(500, 'string', { permissions: { read: [], submit: null, update: [] } })], {
      permissions: { access: [ALL_USERS], submit: [], update: [] },
    });
    const definitions = definitionsOf({ users, trackers: [tracker] });
    const { readable, nameable } = viewer(definitions, users[0]!);
    expect(nameable('submit', tracker).fieldById(500)).not.to.equal(undefined);
    users[0] = userOf(101);
    expect(nameable('submit', tracker).fieldById(500)).to.equal(undefined);
    readable(tracker);
    users[0] = userOf(101, { status: 'suspended' });
    expect(() => readable(tracker)).to.throw('The account is suspended');
  });

  it('is no field of a group that the user has left', () => {
    let project = projectOf({ groups: [groupOf(200, { members: [101] })] });
    const tracker = trackerOf([fieldOf(500, 'string', { permissions: { read: [200], submit: [200], update: [200] } })]);
    const definitions = { ...definitionsOf({ users: [userOf(101)], trackers: [tracker] }), project: () => project };
    const { readable, nameable } = viewer(definitions, userOf(101));
    const shown = (): readonly number[] =>
      [readable(tracker), nameable('submit', tracker), nameable('update', tracker)].map(({ fields }) => fields.length);
    expect(shown()).to.deep.equal([1, 1, 1]);
    project = projectOf({ groups: [groupOf(200)] });
    expect(shown()).to.deep.equal([0, 0, 0]);
  });
});
