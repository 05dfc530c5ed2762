/** A step of a plan takes as long as its list is: each item is looked at a few times, however many there are. */
import { expect } from 'chai';
import { type FieldEntry } from '../../../src/platform-file/format/field-schema.js';
import { type PlatformFile, type UserGroupEntry } from '../../../src/platform-file/format/platform-schema.js';
import { type TrackerEntry } from '../../../src/platform-file/format/tracker-schema.js';
import { type Tracker } from '../../../src/trackers/tracker.js';
import { counted } from '../../support/counted.js';
import { applied, EMPTY_PLATFORM, type PlannedPlatform } from './planned-platform.js';

const COUNT = 1000;
/** Of each item. */
const MOST_READS = 20;

const labels = Array.from({ length: COUNT }, (_, index) => `Value ${index}`);

const projectWith = (groups: readonly UserGroupEntry[], trackers?: readonly TrackerEntry[]): PlatformFile => ({
  projects: [{ shortname: 'p', label: 'P', user_groups: groups, ...(trackers && { trackers }) }],
});
const trackerWith = (field: FieldEntry, meaning: Partial<TrackerEntry> = {}): PlatformFile =>
  projectWith([], [{ item_name: 'bug', label: 'Bugs', fields: [field], ...meaning }]);

function after(file: PlatformFile, before: PlannedPlatform = EMPTY_PLATFORM): PlannedPlatform {
  const { complaints, after: later } = applied(before, file);
  expect(complaints).to.deep.equal([]);
  return later;
}

function trackerIn({ trackers }: PlannedPlatform): Tracker {
  return [...trackers.values()][0] ?? expect.fail('no tracker');
}

const withTracker = (platform: PlannedPlatform, given: Partial<Tracker>): PlannedPlatform => ({
  ...platform,
  trackers: new Map([...platform.trackers].map(([id, tracker]) => [id, { ...tracker, ...given }])),
});

describe('a long list of a platform file', () => {
  const list = { name: 's', label: 'S', type: 'sb' } as const;

  for (const [meaning, entry] of [
    ['an open status', { semantics: { status: { field: 's', open: labels } } }],
    [
      'an end of a transition',
      { workflow: { field: 's', transitions: labels.map((label, index) => [labels[index - 1] ?? null, label]) } },
    ],
  ] as const) {
    it(`has values that can each be ${meaning}`, () => {
      const values = counted(labels.map((label) => ({ label })));
      after(trackerWith({ ...list, values: values.items }, entry as Partial<TrackerEntry>));
      expect(values.reads()).to.be.below(MOST_READS * COUNT);
    });
  }

  it('has values that can each be a default', () => {
    const multiple = { ...list, type: 'msb' } as const;
    const before = after(trackerWith({ ...multiple, values: labels.map((label) => ({ label })) }));
    const { values = [] } = trackerIn(before).fields[0] ?? {};
    const known = counted(values);
    const fields = trackerIn(before).fields.map((field) => ({ ...field, values: known.items }));
    after(trackerWith({ ...multiple, default: labels }), withTracker(before, { fields }));
    expect(known.reads())
      .to.be.above(COUNT)
      .and.below(MOST_READS * COUNT);
  });

  const groupsLabelled = (label: string) => labels.map((_, index) => ({ short_name: `g${index}`, label }));

  it('has groups that can each be changed', () => {
    const before = after(projectWith(groupsLabelled('Before')));
    const known = counted([...before.projects.values()].flatMap(({ groups }) => groups));
    const projects = new Map([...before.projects].map(([id, project]) => [id, { ...project, groups: known.items }]));
    after(projectWith(groupsLabelled('After')), { ...before, projects });
    expect(known.reads())
      .to.be.above(COUNT)
      .and.below(MOST_READS * COUNT);
  });

  it('has groups that can each administer a tracker', () => {
    const groups = groupsLabelled('Group');
    const tracker = { item_name: 'bug', label: 'Bugs', fields: [], admins: groups.map(({ short_name }) => short_name) };
    const before = after(projectWith(groups, [tracker]));
    const { admins } = trackerIn(before);
    const known = counted([admins.groups]);
    after(projectWith(groups, [tracker]), withTracker(before, { admins: { ...admins, groups: known.items[0] ?? [] } }));
    expect(known.reads())
      .to.be.above(COUNT)
      .and.below(MOST_READS * COUNT);
  });
});
