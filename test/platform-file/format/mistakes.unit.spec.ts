/** What a file's author is told: the line, the place, the value, and what is allowed there. */
import { expect } from 'chai';
import { InvalidPlatformFile, type FileError } from '../../../src/platform-file/format/file-error.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { applied, EMPTY_PLATFORM } from '../plan/planned-platform.js';

const FILE = `settings: { anonymous_access: true, artifact_deletion_limit: 5 }
artifact_link_types: [{ shortname: fixed_in, forward_label: Fixed in, reverse_label: Fixes }]
users:
  - { username: ann, real_name: Ann, email: ann@example.org, password: correct horse, site_admin: true }
projects:
  - shortname: garden
    label: Garden
    access: private
    admins: [ann]
    user_groups: [{ short_name: crew, label: Crew, members: [ann] }]
    trackers:
      - item_name: task
        label: Tasks
        color_name: fiesta-red
        permissions: { access: [all_users], submit: [registered_users] }
        fields:
          - { name: title, label: Title, type: string, required: true, max_chars: 20 }
          - { name: status, label: Status, type: sb, values: [{ label: Open }, { label: Done, color: army-green }], default: Open }
          - { name: owner, label: Owner, type: msb, bind: users, from: [crew] }
          - { name: due, label: Due, type: date, default: 2024-03-05 }
        semantics: { title: title, status: { field: status, open: [Open] }, contributor: owner }
        workflow: { field: status, transitions: [[null, Open], [Open, Done]] }
`;

function mistakesIn(text: string): readonly string[] {
  return errorsIn(text).map(({ line, pointer, message }) => `${line} ${pointer} ${message}`);
}

function errorsIn(text: string): readonly FileError[] {
  try {
    const { file, located } = parsePlatformFile(text);
    return located(applied(EMPTY_PLATFORM, file).complaints);
  } catch (error) {
    if (error instanceof InvalidPlatformFile) return error.errors;
    throw error;
  }
}

const TRACKER = '/projects/0/trackers/0';
const GROUPS = 'all_users, registered_users, project_members, project_admins, crew';
const COLORS =
  'inca-silver, chrome-silver, firemist-silver, red-wine, fiesta-red, coral-pink, teddy-brown, clockwork-orange, ' +
  'graffiti-yellow, army-green, neon-green, acid-green, sherwood-green, ocean-turquoise, surf-green, deep-blue, ' +
  'lake-placid-blue, daphne-blue, plum-crazy, ultra-violet, lilac-purple, panther-pink, peggy-pink, flamingo-pink';
const TYPES =
  'fieldset, column, sb, rb, msb, cb, tbl, string, text, int, float, date, file, perm, art_link, computed, ' +
  'aid, atid, subon, subby, lud, luby';

describe('mistakes in a platform file', () => {
  it('are none in this one', () => {
    expect(mistakesIn(FILE)).to.deep.equal([]);
  });

  for (const [right, wrong, mistake] of [
    ['anonymous_access: true', 'anonymous_access: yes', '1 /settings/anonymous_access "yes" has to be true or false'],
    [
      'artifact_deletion_limit: 5',
      'artifact_deletion_limit: many',
      '1 /settings/artifact_deletion_limit "many" has to be a whole number',
    ],
    [
      'artifact_deletion_limit: 5',
      'artifact_deletion_limit: -1',
      '1 /settings/artifact_deletion_limit -1 is less than 0',
    ],
    [
      'artifact_deletion_limit: 5',
      'artifact_deletion_limit: -.inf',
      '1 /settings/artifact_deletion_limit -.inf has to be a whole number',
    ],
    ['label: Garden', 'label: .nan', '7 /projects/0/label .nan has to be a text: ".nan"'],
    [
      'anonymous_access',
      'anonymus_access',
      '1 /settings/anonymus_access is unknown; known are anonymous_access, artifact_deletion_limit, archive_deleted_artifacts',
    ],
    [
      'shortname: fixed_in',
      'shortname: fixed-in',
      '2 /artifact_link_types/0/shortname "fixed-in" is not allowed; use a letter, then letters and "_"',
    ],
    [
      'username: ann',
      'username: ann lee',
      '4 /users/0/username "ann lee" is not allowed; use a letter or digit, then letters, digits, ".", "_" and "-"',
    ],
    ['real_name: Ann, ', '', '4 /users/0/real_name is missing'],
    ['real_name: Ann,', 'real_name: null,', '4 /users/0/real_name is empty; it has to be a text'],
    [
      '[{ short_name: crew, label: Crew, members: [ann] }]',
      'null',
      '10 /projects/0/user_groups is empty; it has to be a list',
    ],
    ['real_name: Ann,', 'real_name: ,', '4 /users/0/real_name is empty; it has to be a text'],
    [
      'email: ann@example.org',
      'email: ann',
      '4 /users/0/email "ann" is not allowed; use an address such as ann@example.org',
    ],
    [
      'password: correct horse',
      'password: 12345678',
      '4 /users/0/password the value, which is not shown, has to be a text',
    ],
    [
      'password: correct horse',
      'password_env: my secret',
      '4 /users/0/password_env the value, which is not shown, is not allowed; use the name of an environment variable, such as ANN_PASSWORD',
    ],
    [
      'password: correct horse',
      'password_env: UNSET',
      '4 /users/0/password_env names a variable that is not set: UNSET',
    ],
    ['password: correct horse, ', '', '4 /users/0 is a new user, who needs a password or a password_env'],
    ['access: private', 'access: secret', '8 /projects/0/access "secret" is not known; use public or private'],
    ['label: Garden', 'label: 2024', '7 /projects/0/label 2024 has to be a text: "2024"'],
    [
      'label: Garden',
      'label: ""',
      '7 /projects/0/label "" is not allowed; use at least one character that is no space',
    ],
    ['admins: [ann]', 'admins: ann', '9 /projects/0/admins "ann" has to be a list: [ann]'],
    ['admins: [ann]', 'admins: [anne]', '9 /projects/0/admins/0 is not known: anne'],
    ['admins: [ann]', 'admins: [ann, ann]', '9 /projects/0/admins lists "ann" twice'],
    [
      'user_groups: [{ short_name: crew, label: Crew, members: [ann] }]',
      'user_groups: [crew]',
      '10 /projects/0/user_groups/0 "crew" has to be an object: { short_name: crew, label: … }',
    ],
    ['color_name: fiesta-red', 'color_name: red', `14 ${TRACKER}/color_name "red" is no color; use one of ${COLORS}`],
    [
      'color_name: fiesta-red',
      'color_name: "#ff0000"',
      `14 ${TRACKER}/color_name "#ff0000" is no color; use one of ${COLORS}`,
    ],
    [
      'access: [all_users]',
      'access: [everybody]',
      `15 ${TRACKER}/permissions/access/0 is not known: everybody; known are ${GROUPS}`,
    ],
    ['submit: [', 'write: [', `15 ${TRACKER}/permissions/write is unknown; known are access, submit, update`],
    ['type: string', 'type: integer', `17 ${TRACKER}/fields/0/type "integer" is no type of field; use one of ${TYPES}`],
    ['type: string, ', '', `17 ${TRACKER}/fields/0/type is missing; use one of ${TYPES}`],
    [
      '{ name: title, label: Title, type: string, required: true, max_chars: 20 }',
      'title',
      `17 ${TRACKER}/fields/0 "title" has to be an object: { name: …, label: …, type: … }`,
    ],
    [
      'max_chars: 20',
      'rows: 20',
      `17 ${TRACKER}/fields/0/rows is unknown; known are type, name, label, description, permissions, required, max_chars, size, default`,
    ],
    [
      'name: title',
      'name: the title',
      `17 ${TRACKER}/fields/0/name "the title" is not allowed; use letters, digits and "_"`,
    ],
    [
      '[{ label: Open }, { label: Done, color: army-green }]',
      '[Open, Done]',
      `18 ${TRACKER}/fields/1/values/0 "Open" has to be an object: { label: Open }`,
    ],
    [
      'color: army-green',
      'color: green',
      `18 ${TRACKER}/fields/1/values/1/color "green" is no color; use one of ${COLORS}`,
    ],
    ['default: Open', 'default: Opne', `18 ${TRACKER}/fields/1/default is not known: Opne; known are Open, Done`],
    [
      'bind: users',
      'bind: user',
      `19 ${TRACKER}/fields/2/bind "user" is not known; use one of static, users, user_groups`,
    ],
    ['from: [crew]', 'from: []', `19 ${TRACKER}/fields/2/from has 0 items; name at least one group`],
    ['from: [crew]', 'from: [crw]', `19 ${TRACKER}/fields/2/from/0 is not known: crw; known are ${GROUPS}`],
    [
      'default: 2024-03-05',
      'default: 5.3.2024',
      `20 ${TRACKER}/fields/3/default "5.3.2024" has to be a date such as 2024-03-05`,
    ],
    [
      'title: title,',
      'title: tilte,',
      `21 ${TRACKER}/semantics/title names a field that the tracker does not list: tilte; it lists title, status, owner, due`,
    ],
    [
      'open: [Open]',
      'open: [New]',
      `21 ${TRACKER}/semantics/status/open/0 is no value of status: New; its values are Open, Done`,
    ],
    [
      'contributor: owner',
      'contributor: status',
      `21 ${TRACKER}/semantics/contributor has to name a list bound to users: status is of type sb`,
    ],
    [
      '[[null, Open], [Open, Done]]',
      '[[Open, Done]]',
      `22 ${TRACKER}/workflow/transitions has no first transition, so no artifact can be created; add one such as [null, Open]`,
    ],
    [
      '[[null, Open], [Open, Done]]',
      '[[null, Open], [Open]]',
      `22 ${TRACKER}/workflow/transitions/1 has 1 items; write [from, to], with null as the first for a new artifact`,
    ],
    [
      '[[null, Open], [Open, Done]]',
      '[[null, Open], Done]',
      `22 ${TRACKER}/workflow/transitions/1 "Done" has to be a list: [Done]`,
    ],
    [
      '[Open, Done]]',
      '[Open, Closed]]',
      `22 ${TRACKER}/workflow/transitions/1/1 is no value of status: Closed; its values are Open, Done`,
    ],
    ['name: owner', 'name: status', `19 ${TRACKER}/fields/2/name is listed twice: status`],
    [
      '    label: Garden\n',
      '  label: Garden\n',
      '7  Column 1: The indentation is wrong, or a bracket is not closed; the items of a list or an object start at the same column',
    ],
    ['    label: Garden\n', '\tlabel: Garden\n', '7  Column 1: Tabs are not allowed as indentation; use spaces'],
  ] as const) {
    it(`are told from ${JSON.stringify(right)}: ${JSON.stringify(wrong)}`, () => {
      const text = FILE.replace(right, wrong);
      expect(text).not.to.equal(FILE);
      expect(mistakesIn(text)[0]).to.equal(mistake);
    });
  }

  it('name the first of many names', () => {
    const labels = Array.from({ length: 30 }, (_, n) => `v${n}`);
    const values = `[${labels.map((label) => `{ label: ${label} }`).join(', ')}]`;
    const text = FILE.replace(/values: \[.*?\]/, `values: ${values}`).replace('default: Open', 'default: Opne');
    expect(mistakesIn(text)[0]).to.include(`Opne; known are ${labels.slice(0, 20).join(', ')} and 10 more`);
  });

  for (const file of [
    'users: { ann: { password: s3cret } }',
    'users: [[ann, s3cret]]',
    'users: [{ username: ann, email: { password: s3cret } }]',
    'users: [ann s3cret]',
    'users: "ann:s3cret"',
    'users: [{ username: ann, password: *s3cret }]',
    'users: [{ username: ann, password: !s3cret x }]',
    'users: [{ username: ann, password: !s3cret [x] }]',
    'users: [{ username: ann, password: "\\s3cret" }]',
    'users:\n  - username: ann\n    password: |s3cret\n',
    'users:\n  - username: ann\n    password: *s3cret\n',
    'users:\n  - username: ann\n    password: "x" s3cret\n',
    'users:\n  - username: ann\n    password: s3cret: s3cret\n',
    'users:\n  - username: ann\n    password: &s3cret *s3cret\n',
    'users: &a [{ username: ann, password: *a }]',
    '[{ username: ann, password: s3cret }]',
    '"ann:s3cret"',
    'projects: [{ shortname: a, label: A, members: [{ username: ann, password: s3cret }] }]',
    'projects: [{ shortname: a, label: A, members: [{ password: s3cret }, { password: s3cret }] }]',
    'projects: [{ shortname: a, label: A, trackers: [{ item_name: b, label: B, fields: [{ type: { password: s3cret } }] }] }]',
  ]) {
    it(`are told without the password that stands in the wrong place: ${JSON.stringify(file)}`, () => {
      const mistakes = mistakesIn(file);
      expect(mistakes).not.to.deep.equal([]);
      expect(mistakes.join()).not.to.include('s3cret');
    });
  }

  for (const [password, mistake] of [
    ['*hunter2', 'An alias has no anchor; quote a text that starts with "*"'],
    ['!hunter2 x', 'A tag is not known; quote a text that starts with "!"'],
    ['|hunter2', 'Unexpected characters; quote a text that holds special characters'],
  ] as const) {
    it(`are told with line and column for a password that YAML takes for something else: ${password}`, () => {
      const [first] = mistakesIn(`users:\n  - username: ann\n    password: ${password}\n`);
      expect(first)
        .to.match(/^3 {2}Column 1[5-9]: /)
        .and.to.include(mistake);
    });
  }

  it('do not hold up a platform that has them from an earlier release', () => {
    const before = applied(EMPTY_PLATFORM, parsePlatformFile(FILE).file).after;
    const old = {
      ...before,
      trackers: new Map(
        [...before.trackers].map(([id, tracker]) => [
          id,
          {
            ...tracker,
            color: 'mauve',
            workflow: tracker.workflow && {
              ...tracker.workflow,
              transitions: tracker.workflow.transitions.filter(({ from }) => from !== null),
            },
          },
        ]),
      ),
    };
    const text = FILE.replace('color_name: fiesta-red', 'color_name: mauve').replace('[null, Open], ', '');
    const { complaints, steps } = applied(old, parsePlatformFile(text).file);
    expect(complaints).to.deep.equal([]);
    expect(steps.map(({ words }) => words)).to.deep.equal([]);
  });
});
