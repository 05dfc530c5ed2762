import { expect } from 'chai';
import { type Definitions } from '../../../src/definitions/definitions.js';
import { exportedPlatform } from '../../../src/platform-file/export/export.js';
import { definitionsOf, groupOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';
import { whole } from '../../support/whole.js';

const [FIRST, SECOND] = [110, 111];
const trackerIn = (projectId: number, access: number) =>
  trackerOf([], { id: projectId + 10, projectId, permissions: { access: [access], submit: [], update: [] } });

const before = definitionsOf({
  users: [userOf(102)],
  projects: [projectOf({ id: FIRST }), projectOf({ id: SECOND })],
  trackers: [trackerIn(FIRST, 3), trackerIn(SECOND, 3)],
});
const after = definitionsOf({
  users: [userOf(102), userOf(103)],
  projects: [FIRST, SECOND].map((id) => projectOf({ id, admins: [103], groups: [groupOf(id + 20)] })),
  trackers: [trackerIn(FIRST, FIRST + 20), trackerIn(SECOND, SECOND + 20)],
});

describe('an export', () => {
  it('is of one moment, whatever is applied while it is made', () => {
    const expected = whole(exportedPlatform(before));
    let present: Definitions = before;
    const live: Definitions = {
      ...before,
      user: (id) => present.user(id),
      users: () => present.users(),
      projects: () => present.projects(),
      trackersOf: (id) => present.trackersOf(id),
    };
    const steps = exportedPlatform(live);
    expect(steps.next().done).to.equal(false);
    present = after;
    expect(whole(steps)).to.deep.equal(expected);
  });

  it('is refused while a tracker is newer than the groups that it names', () => {
    const trackers = [trackerIn(FIRST, FIRST + 20)];
    const torn = definitionsOf({ users: [], projects: [projectOf({ id: FIRST })], trackers });
    expect(() => whole(exportedPlatform(torn)))
      .to.throw('The read models lack a user or group')
      .with.property('kind', 'unavailable');
  });
});
