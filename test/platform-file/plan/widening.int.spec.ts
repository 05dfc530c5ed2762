import { expect } from 'chai';
import fc from 'fast-check';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { platformFile } from '../platform-arbitraries.js';
import { applied, EMPTY_PLATFORM, type PlannedPlatform } from './planned-platform.js';
import { rightsIn } from './rights.js';

const HEAD = 'shortname: lab, label: Lab';
const TRACKER = 'item_name: bug, label: Bugs';

const tracker = (members: string): string => `projects: [{ ${HEAD}, trackers: [{ ${TRACKER}, ${members} }] }]`;
const project = (members: string): string => `projects: [{ ${HEAD}, ${members} }]`;
const user = (name: string, members = ''): string =>
  `users: [{ username: ${name}, real_name: A, email: a@example.org${members} }]`;
const NOTES = 'name: notes, label: Notes, type: text';
const STATUS = 'name: status, label: Status, type: sb';
const READERS = '{ name: readers, label: Readers, type: perm, default: [crew] }';

const CLOSED = `
settings: { anonymous_access: false }
users:
  - { username: ada, real_name: A, email: a@example.org, password: x }
  - { username: ben, real_name: B, email: b@example.org, password: x, status: suspended }
projects:
  - shortname: lab
    label: Lab
    access: private
    members: [ada]
    user_groups: [{ short_name: crew, label: Crew, members: [ada] }]
    trackers:
      - item_name: bug
        label: Bugs
        permissions: { access: [project_members], submit: [crew], update: [project_admins] }
        fields:
          - { ${NOTES}, permissions: { read: [project_admins], update: [crew] } }
          - { ${STATUS}, values: [{ label: New }, { label: Done }] }
          - ${READERS}
        workflow: { field: status, transitions: [[null, New], [Done, New]] }
  - { shortname: mill, label: Mill, status: suspended }
`;

const after = (before: PlannedPlatform, text: string, prune = false) => {
  const { file, located } = parsePlatformFile(text);
  const result = applied(before, file, { prune });
  expect(located(result.complaints)).to.deep.equal([]);
  return result;
};

const closed = after(EMPTY_PLATFORM, CLOSED).after;

function marksOf(text: string, prune = false): readonly boolean[] {
  const { steps } = after(closed, text, prune);
  return steps.map(({ widens }) => widens);
}

/** What came with a file grants nothing that was there before. */
const isOf = ({ trackers, lastId }: PlannedPlatform, right: string): boolean => {
  const [, trackerId, , fieldId] = right.split(' ').map(Number);
  return trackers.has(trackerId ?? 0) && !((fieldId ?? 0) > lastId);
};

describe('a change that a plan marks', () => {
  const widening: Readonly<Record<string, string>> = {
    'opens the platform to anonymous readers': 'settings: { anonymous_access: true }',
    'sets the platform back to its default, which is open': 'settings: null',
    'lets artifacts be deleted where they could not': 'settings: { artifact_deletion_limit: 1 }',
    'makes a site administrator': user('ada', ', site_admin: true'),
    'reactivates a user': user('ben', ', status: active'),
    'registers a site administrator': user('root', ', password: x, site_admin: true'),
    'makes a project public': project('access: null'),
    'reactivates a project': 'projects: [{ shortname: mill, label: Mill, status: active }]',
    'adds an administrator': project('admins: [ada]'),
    'adds a member': project('members: [ada, ben]'),
    'adds a member to a group': project('user_groups: [{ short_name: crew, label: Crew, members: [ada, ben] }]'),
    'turns svn on': project('svn: true'),
    'adds an administrator to a tracker': tracker('fields: [], admins: [crew]'),
    'widens who sees a tracker': tracker('fields: [], permissions: { access: [registered_users] }'),
    'widens who submits': tracker('fields: [], permissions: { submit: [crew, project_members] }'),
    'widens who updates': tracker('fields: [], permissions: { update: [project_members] }'),
    'widens who reads a field': tracker(`fields: [{ ${NOTES}, permissions: { read: [project_members] } }]`),
    'widens who updates a field': tracker(`fields: [{ ${NOTES}, permissions: { update: [crew, project_admins] } }]`),
    'leaves a field to the tracker, whose administrators it did not admit': tracker(
      `fields: [{ ${NOTES}, permissions: { update: null } }]`,
    ),
    'widens to whom new artifacts are visible': tracker(
      'fields: [{ name: readers, label: Readers, type: perm, default: null }]',
    ),
    'removes a workflow': tracker('fields: [], workflow: null'),
    'allows a transition': tracker('fields: [], workflow: { field: status, transitions: [[null, New], [New, Done]] }'),
  };
  for (const [subject, text] of Object.entries(widening)) {
    it(subject, () => {
      expect(marksOf(text)).to.include(true);
    });
  }

  it('takes a restricting field out of use', () => {
    const text = tracker(`fields: [{ ${NOTES} }, { ${STATUS} }]`);
    expect(marksOf(text)).to.deep.equal([]);
    expect(marksOf(text, true)).to.deep.equal([true]);
  });

  it('uses a field again', () => {
    const { after: unused } = after(closed, tracker(`fields: [{ ${STATUS} }, ${READERS}]`), true);
    const { steps } = after(unused, tracker(`fields: [{ ${NOTES} }]`));
    expect(steps.map(({ widens }) => widens)).to.deep.equal([true]);
  });

  it('lets a user do what the user could not do before', () => {
    const given = fc.record({
      whole: platformFile('whole'),
      partial: platformFile('partial'),
      prune: fc.boolean(),
    });
    fc.assert(
      fc.property(given, ({ whole, partial, prune }) => {
        const { after: before } = applied(EMPTY_PLATFORM, whole);
        const { steps, after: later } = applied(before, partial, { prune, force: true });
        const known = rightsIn(before);
        const gained = [...rightsIn(later)].filter((right) => isOf(before, right) && !known.has(right));
        if (!steps.some(({ widens }) => widens)) expect(gained).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a change that a plan does not mark', () => {
  const other: Readonly<Record<string, string>> = {
    'closes what was open, or lets it be': 'settings: { anonymous_access: false, archive_deleted_artifacts: true }',
    'registers a user where every project is closed to outsiders': user('cy', ', password: x'),
    'registers a user who is suspended': user('root', ', password: x, site_admin: true, status: suspended'),
    'makes a suspended user a site administrator': user('ben', ', site_admin: true'),
    renames: project('description: Of rats').replace('label: Lab', 'label: Laboratory'),
    'brings in a project': 'projects: [{ shortname: new, label: New, members: [ada] }]',
    'brings in a tracker':
      'projects: [{ shortname: lab, label: Lab, trackers: [{ item_name: x, label: X, fields: [] }] }]',
    'brings in a field': tracker('fields: [{ name: more, label: More, type: string }]'),
    'brings in a group': project('user_groups: [{ short_name: new, label: New, members: [ben] }]'),
    'removes a member': project('members: []'),
    'narrows who sees a tracker': tracker('fields: [], permissions: { access: [project_admins, crew] }').replace(
      ', crew',
      '',
    ),
    'names those who are admitted anyway': tracker(
      'fields: [], permissions: { access: [project_members, project_admins], update: [] }',
    ),
    'narrows who reads a field': tracker(`fields: [{ ${NOTES}, permissions: { read: [] } }]`),
    'forbids a transition': tracker('fields: [], workflow: { field: status, transitions: [[null, New]] }'),
    'changes who may be chosen, and what must be given': tracker(
      `fields: [{ ${STATUS}, required: true, values: [{ label: New }] }], workflow: { field: status, transitions: [[null, New]] }`,
    ),
  };
  for (const [subject, text] of Object.entries(other)) {
    it(subject, () => {
      const marks = marksOf(text);
      expect(marks).to.not.deep.equal([]);
      expect(marks).to.not.include(true);
    });
  }

  it('registers a site administrator where there is no project', () => {
    const { steps } = after(EMPTY_PLATFORM, user('root', ', password: x, site_admin: true'));
    expect(steps.map(({ widens }) => widens)).to.deep.equal([false]);
  });
});
