import { expect } from 'chai';
import { type Definitions } from '../../../src/definitions/definitions.js';
import { InvalidPlatformFile } from '../../../src/platform-file/format/file-error.js';
import { plan, type PlanInput } from '../../../src/platform-file/plan/plan.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import {
  definitionsOf,
  fieldOf,
  groupOf,
  listValueOf,
  projectOf,
  trackerOf,
  userOf,
  type GivenDefinitions,
} from '../../support/definitions.js';
import { whole } from '../../support/whole.js';

const fields = [
  fieldOf(501, 'fieldset', { name: 'box', label: 'Box', fields: [fieldOf(502, 'string', { name: 'title' })] }),
  fieldOf(503, 'sb', {
    name: 'status',
    bind: 'static',
    values: [listValueOf(601, { label: 'New' }), listValueOf(602, { label: 'Done' })],
  }),
  fieldOf(504, 'msb', { name: 'owners', bind: 'users', from: [3] }),
];

const given: GivenDefinitions = {
  users: [userOf(102, { username: 'bob', realName: 'Bob', email: 'bob@example.org' })],
  projects: [
    projectOf({
      id: 110,
      shortname: 'hydra',
      label: 'Hydra',
      members: [102],
      groups: [groupOf(115, { shortName: 'crew', label: 'Crew', members: [102] })],
    }),
  ],
  trackers: [trackerOf(fields, { id: 120, projectId: 110, itemName: 'bug', label: 'Bugs', color: 'inca-silver' })],
};

const present = definitionsOf(given);

function planned(
  text: string,
  given: Partial<Pick<PlanInput, 'prune' | 'force' | 'env'>> & { readonly on?: Definitions } = {},
) {
  const { prune = false, force = false, env = {}, on = present } = given;
  const { file } = parsePlatformFile(text);
  return whole(plan({ file, present: on, presentPasswords: new Map(), env, prune, force }));
}

const complaintsOf = (text: string): readonly string[] =>
  planned(text).complaints.map(({ pointer, message }) => `${pointer} ${message}`);

const bug = (fields: string, rest = ''): string => `projects:
  - shortname: hydra
    label: Hydra
    members: [bob]
    user_groups: [{ short_name: crew, label: Crew, members: [bob] }]
    trackers:
      - item_name: bug
        label: Bugs
        fields: ${fields}
${rest.replaceAll(/^(?=.)/gm, '        ')}`;

const FIELDS = '/projects/0/trackers/0/fields';

function formOf(text: string, given = {}) {
  const { complaints, steps } = planned(text, given);
  expect(complaints).to.deep.equal([]);
  const command = steps.map((step) => step.command).find(({ type }) => type === 'ChangeTrackerFields');
  return command?.type === 'ChangeTrackerFields' ? command.fields : undefined;
}

describe('a plan', () => {
  it('complains about users who are not known', () => {
    const text = `users:
  - { username: alice, real_name: Alice, email: a@b, password: x, password_env: Y }
  - { username: ALICE, real_name: Alice, email: a@b, password: x }
  - { username: carol, real_name: Carol, email: c@b }
projects:
  - { shortname: hydra, label: Hydra, admins: [nobody], user_groups: [{ short_name: all_users, label: All }] }
  - { shortname: Hydra, label: Hydra }
`;
    expect(complaintsOf(text)).to.deep.equal([
      '/users/1/username is listed twice: alice',
      '/users/0/password_env stands beside a password: one of them is enough',
      '/users/0/password_env names a variable that is not set: Y',
      '/users/2 is a new user, who needs a password or a password_env',
      '/projects/1/shortname is listed twice: hydra',
      '/projects/0/user_groups/0/short_name is a group that every project has',
      '/projects/0/admins/0 is not known: nobody',
    ]);
  });

  it('takes passwords from variables that are set, and from nothing else that the environment has', () => {
    const UNSET = '/users/0/password_env names a variable that is not set; the value is not shown';
    for (const variable of ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'hunter2secret']) {
      const text = `users: [{ username: ann, real_name: Ann, email: a@b, password_env: ${variable} }]`;
      expect(complaintsOf(text)).to.deep.equal([UNSET]);
    }
  });

  it('complains about lists that do not hang together', () => {
    const text = bug(`
          - { name: a, label: A, type: sb, from: [crew], values: [{ label: x }, { label: x }], default: y }
          - { name: b, label: B, type: msb, bind: users, values: [] }
          - { name: c, label: C, type: cb, bind: user_groups, from: [crew, martians], default: [project_members] }
          - { name: f, label: F, type: rb, values: [{ label: x }], default: '' }
          - { name: d, label: D, type: date, default: 2023-02-29 }
          - { name: e, label: E, type: string, max_chars: 2, default: abc }
          - { name: a, label: A, type: int }`);
    expect(complaintsOf(text)).to.have.members([
      `${FIELDS}/6/name is listed twice: a`,
      `${FIELDS}/3/default is not known: ; known are x`,
      `${FIELDS}/0/from is for lists bound to users or user groups`,
      `${FIELDS}/0/values/1/label is listed twice: x`,
      `${FIELDS}/0/default is not known: y; known are x, x`,
      `${FIELDS}/1/values are for static lists`,
      `${FIELDS}/1/from has to name the groups that a list of users offers`,
      `${FIELDS}/2/from/1 is not known: martians; known are all_users, registered_users, project_members, project_admins, crew`,
      `${FIELDS}/2/default/0 is not offered by the list: project_members`,
      `${FIELDS}/4/default "2023-02-29" has to be a date such as 2024-03-05`,
      `${FIELDS}/5/default takes at most 2 characters`,
    ]);
  });

  it('complains about semantics, workflow and permissions that lead nowhere', () => {
    const text = bug(
      '[{ name: title, label: Title, type: string }, { name: tags, label: Tags, type: tbl, values: [{ label: New }] }]',
      `admins: [crew, ghost]
permissions: { access: [ghosts] }
semantics: { title: headline, status: { field: tags, open: [Newer] }, contributor: title }
workflow: { field: title, transitions: [[null, New], [New, Old]] }`,
    );
    const tracker = '/projects/0/trackers/0';
    expect(complaintsOf(text)).to.have.members([
      `${tracker}/admins/1 is no user and no group: ghost`,
      `${tracker}/permissions/access/0 is not known: ghosts; known are all_users, registered_users, project_members, project_admins, crew`,
      `${tracker}/semantics/title names a field that the tracker does not list: headline; it lists title, tags, box, status, owners`,
      `${tracker}/semantics/status/field has to name a static list: tags is of type tbl`,
      `${tracker}/semantics/status/open/0 is no value of tags: Newer; its values are New`,
      `${tracker}/semantics/contributor has to name a list bound to users: title is of type string`,
      `${tracker}/workflow/field has to name a static list of one choice, sb or rb: title is of type string`,
      `${tracker}/workflow/transitions/0/1 is no value of title: New`,
      `${tracker}/workflow/transitions/1/0 is no value of title: New`,
      `${tracker}/workflow/transitions/1/1 is no value of title: Old`,
    ]);
  });

  it('refuses another type under the same name, and another binding', () => {
    expect(complaintsOf(bug('[{ name: title, label: T, type: text }]'))).to.deep.equal([
      `${FIELDS}/0/type cannot become text: the field is of type string`,
    ]);
    expect(complaintsOf(bug('[{ name: owners, label: O, type: msb, bind: static, values: [] }]'))).to.deep.equal([
      `${FIELDS}/0/bind cannot become static: the list is bound to users`,
    ]);
  });

  it('leaves what the file does not list as it is', () => {
    expect(planned('users: []').steps).to.deep.equal([]);
    const form = formOf(bug('[{ name: extra, label: Extra, type: int }]'));
    expect(form?.map(({ id, used }) => [id, used])).to.deep.equal([
      [-100_001, true],
      [501, true],
      [503, true],
      [504, true],
    ]);
  });

  it('puts what the file does not list out of use when pruning', () => {
    const { steps } = planned('{ users: [], projects: [] }', { prune: true });
    expect(steps.map(({ words }) => words)).to.deep.equal(['suspend user bob', 'suspend project hydra']);
    const empty = 'projects: [{ shortname: hydra, label: Hydra, user_groups: [], trackers: [] }]';
    const listed = planned(empty, { prune: true });
    expect(listed.steps.map(({ words }) => words)).to.include('delete tracker hydra/bug');
    expect(listed.steps[0]?.command).to.deep.include({ groups: [groupOf(115, { shortName: 'crew', label: 'Crew' })] });

    const form = formOf(bug('[{ name: status, label: Status, type: sb, values: [{ label: Done }] }]'), { prune: true });
    expect(form?.map(({ id, used }) => [id, used])).to.deep.equal([
      [503, true],
      [501, false],
      [504, false],
    ]);
    expect(form?.[0]?.values?.map(({ id, hidden }) => [id, hidden])).to.deep.equal([
      [602, false],
      [601, true],
    ]);
  });

  it('prunes in lists that the file names and in no others', () => {
    const words = (text: string) => planned(text, { prune: true }).steps.map((step) => step.words);
    expect(words('settings: { anonymous_access: true }')).to.deep.equal([]);
    expect(words('users: []')).to.deep.equal(['suspend user bob']);
    expect(words('projects: []')).to.deep.equal(['suspend project hydra']);
    expect(words('projects: [{ shortname: hydra, label: Hydra }]')).to.deep.equal([]);
    expect(words('projects: [{ shortname: hydra, label: Hydra, trackers: [] }]')).to.deep.equal([
      'delete tracker hydra/bug',
    ]);
    const list = '{ name: status, label: "sb 503", type: sb }, { name: owners, label: "msb 504", type: msb }';
    expect(formOf(bug(`[{ name: box, label: Box, type: fieldset }, ${list}]`), { prune: true })).to.equal(undefined);
    const emptied = formOf(bug(`[{ name: box, label: Box, type: fieldset, fields: [] }, ${list}]`), { prune: true });
    expect(emptied?.[0]?.fields?.map(({ id, used }) => [id, used])).to.deep.equal([[502, false]]);
  });

  it('hides the values that a list leaves out, and shows none that were hidden', () => {
    const valuesIn = (values: string) =>
      formOf(bug(`[{ name: status, label: "sb 503", type: sb, values: ${values} }]`))
        ?.find(({ id }) => id === 503)
        ?.values?.map(({ label, hidden }) => [label, hidden]);
    expect(valuesIn('[{ label: Done }]')).to.deep.equal([
      ['Done', false],
      ['New', true],
    ]);
    expect(valuesIn('null')).to.deep.equal([
      ['New', true],
      ['Done', true],
    ]);
    expect(valuesIn('[{ label: New }, { label: Done }]')).to.equal(undefined);
  });

  it('keeps fields that the file does not list where they are', () => {
    const form = formOf(bug('[{ name: owners, label: Owners, type: msb }]'));
    expect(form?.map(({ id }) => id)).to.deep.equal([501, 503, 504]);
  });

  it('names fields in semantics and workflow that the file does not list', () => {
    const text = bug(
      '[]',
      'semantics: { title: title, contributor: owners }\nworkflow: { field: status, transitions: [[null, New]] }',
    );
    expect(planned(text).complaints).to.deep.equal([]);
    expect(planned(text).steps.map(({ command }) => command.type)).to.deep.equal([
      'ChangeTrackerSemantics',
      'ChangeTrackerWorkflow',
    ]);
  });

  it('refuses to prune a field that semantics or workflow go on naming', () => {
    const withWorkflow = definitionsOf({
      ...given,
      trackers: [
        trackerOf(fields, {
          id: 120,
          projectId: 110,
          itemName: 'bug',
          label: 'Bugs',
          workflow: { field: 503, transitions: [] },
        }),
      ],
    });
    const pruned = (rest: string) =>
      planned(bug('[{ name: title, label: Title, type: string }]', rest), { prune: true, on: withWorkflow }).complaints;
    expect(pruned('')).to.deep.equal([
      { pointer: FIELDS, message: 'leaves out status, which workflow of the tracker names: change that too' },
    ]);
    expect(pruned('workflow: null')).to.deep.equal([]);
  });

  it('refuses to prune the last site administrator, unless forced', () => {
    const admins = definitionsOf({
      users: [
        userOf(102, { username: 'bob', siteAdmin: true }),
        userOf(103, { username: 'eve', status: 'suspended', siteAdmin: true }),
      ],
      projects: [],
    });
    const complaints = (text: string, given = {}) =>
      planned(text, { prune: true, on: admins, ...given }).complaints.map(
        ({ pointer, message }) => `${pointer} ${message}`,
      );
    const ann = 'username: ann, real_name: Ann, email: a@b, password: x';
    const refused = ['/users would suspend the last site administrator, bob; list one, or add --force'];
    expect(complaints('users: []')).to.deep.equal(refused);
    expect(complaints(`users: [{ ${ann} }]`)).to.deep.equal(refused);
    expect(complaints('users: [{ username: eve, real_name: Eve, email: e@b }]')).to.deep.equal(refused);
    expect(complaints('users: []', { force: true })).to.deep.equal([]);
    expect(complaints(`users: [{ ${ann}, site_admin: true }]`)).to.deep.equal([]);
    expect(complaints('users: [{ username: bob, real_name: Bob, email: b@b }]')).to.deep.equal([]);
    expect(complaints('projects: []')).to.deep.equal([]);
  });

  it('keeps the ids of fields and values that move', () => {
    const form = formOf(
      bug('[{ name: title, label: Title, type: string }, { name: box, label: Box, type: fieldset }]'),
    );
    expect(form?.map(({ id, fields }) => [id, fields?.map((inner) => inner.id)])).to.deep.equal([
      [502, undefined],
      [501, []],
      [503, undefined],
      [504, undefined],
    ]);
  });

  it('says in words which fields change', () => {
    const { steps } = planned(
      bug('[{ name: title, label: Headline, type: string }, { name: n, label: N, type: int }]'),
    );
    expect(steps.map(({ words }) => words)).to.deep.equal([
      'change the fields of tracker hydra/bug (changed title, new n)',
    ]);
  });

  it('gives complaints their lines', () => {
    const { located } = parsePlatformFile(bug('\n          - { name: a, label: A, type: sb, default: y }'));
    const errors = located(planned(bug('\n          - { name: a, label: A, type: sb, default: y }')).complaints);
    expect(errors.map(({ line }) => line)).to.deep.equal([10]);
    expect(new InvalidPlatformFile(errors).message).to.include(`line 10, ${FIELDS}/0/default: is not known: y`);
  });
});
