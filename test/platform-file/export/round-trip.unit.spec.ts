import { expect } from 'chai';
import fc from 'fast-check';
import { exportedPlatform } from '../../../src/platform-file/export/export.js';
import { exportedText } from '../../../src/platform-file/export/exported-text.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { whole } from '../../support/whole.js';
import { applied, definitionsIn, EMPTY_PLATFORM, type PlannedPlatform } from '../plan/planned-platform.js';

const PEOPLE = `users:
  - { username: ann, real_name: Ann, email: a@b, password: x }
  - { username: bob, real_name: Bob, email: b@b, password: x }
`;

const FIELD = '{ name: who, label: Who, type: msb, bind: users, from: [project_members], default: [bob, BOB] }';
const file = (tracker: string, project = ''): string => `projects:
  - { shortname: lab, label: Lab, ${project} trackers: [{ item_name: bug, label: Bugs, fields: [], ${tracker} }] }
`;

function afterwards(texts: readonly string[]): PlannedPlatform {
  return texts.reduce((before, text) => {
    const { complaints, after } = applied(before, parsePlatformFile(text).file);
    expect(complaints).to.deep.equal([]);
    return after;
  }, EMPTY_PLATFORM);
}

const exported = (platform: PlannedPlatform): string => exportedText(whole(exportedPlatform(definitionsIn(platform))));

/** What the export changes once it is applied. */
function changesBy(platform: PlannedPlatform): readonly string[] {
  const { complaints, steps } = applied(platform, parsePlatformFile(exported(platform)).file);
  expect(complaints).to.deep.equal([]);
  return steps.map(({ words }) => words);
}

describe('an export', () => {
  it('names a user once whom a file names in two spellings', () => {
    const spelled = file(`admins: [bob, BOB], fields: [${FIELD}]`, 'members: [bob, BOB], admins: [Ann, ann],').replace(
      'fields: [], ',
      '',
    );
    const platform = afterwards([PEOPLE + spelled]);
    expect(changesBy(platform)).to.deep.equal([]);
  });

  it('names a user once whom an earlier release stored twice', () => {
    const platform = afterwards([PEOPLE, file('admins: [bob]', 'members: [bob],')]);
    const twice = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
        (key === 'members' || key === 'users') && Array.isArray(inner) ? [...inner, ...inner] : inner,
      ) as T;
    const stored = {
      ...platform,
      projects: new Map(twice([...platform.projects])),
      trackers: new Map(twice([...platform.trackers])),
    };
    expect([...stored.projects.values()][0]?.members).to.have.length(2);
    const { file: parsed } = parsePlatformFile(exported(stored));
    expect(parsed).to.have.nested.property('projects[0].members').which.deep.equals(['bob']);
    expect(parsed).to.have.nested.property('projects[0].trackers[0].admins').which.deep.equals(['bob']);
  });

  for (const [held, first, second] of [
    ['user', PEOPLE, 'projects: [{ shortname: lab, label: Lab, user_groups: [{ short_name: bob, label: B }] }]'],
    ['group', 'users: []', PEOPLE],
  ] as const) {
    it(`keeps a ${held} as administrator of a tracker if the name becomes that of a user and a group`, () => {
      const groups = held === 'group' ? 'user_groups: [{ short_name: bob, label: B }],' : '';
      const platform = afterwards([first, file('admins: [bob]', groups), second]);
      expect(changesBy(platform)).to.deep.equal([]);
      const { complaints } = applied(platform, parsePlatformFile(file('admins: [bob]').replace('bug', 'task')).file);
      const pointer = '/projects/0/trackers/0/admins/0';
      expect(complaints).to.deep.equal([{ pointer, message: 'is a user and a group: bob' }]);
    });
  }

  it('writes the same things in full each time', () => {
    const same = { shortname: 'lab', label: 'Lab' };
    expect(exportedText({ projects: [same, same] }).match(/shortname: lab/g)).to.have.length(2);
  });

  it('reads back with each character of its texts', () => {
    const unit = fc.constantFrom(
      ' ',
      ' ',
      '\n',
      '\n',
      '\t',
      '\r',
      'a',
      '#',
      ':',
      '-',
      '"',
      "'",
      '\\',
      '|',
      '\u2028',
      '\0',
    );
    const text = fc.oneof(fc.string({ unit, maxLength: 80, size: 'max' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, (description) => {
        const described = { projects: [{ shortname: 'lab', label: 'Lab', description }] };
        expect(parsePlatformFile(exportedText(described)).file).to.deep.equal(described);
      }),
      { numRuns: 600, examples: [[' \n'], [`${'Pumps and valves, '.repeat(3)}\n \nbelow\n `]] },
    );
  });
});
