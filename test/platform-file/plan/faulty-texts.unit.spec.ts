import { expect } from 'chai';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { applied, EMPTY_PLATFORM, type PlannedPlatform } from './planned-platform.js';

const LINE = 'takes one line without line breaks and NUL';
const HALF = 'holds half a surrogate pair';

const file = (fields: string): string => `projects:
  - { shortname: lab, label: Lab, trackers: [{ item_name: bug, label: Bugs, fields: [
      ${fields} ] }] }
`;
const field = (members: string): string => file(`{ name: f, label: F, ${members} }`);

function planned(text: string, before: PlannedPlatform = EMPTY_PLATFORM) {
  const { file: parsed, located } = parsePlatformFile(text);
  const { complaints, ...rest } = applied(before, parsed);
  return {
    ...rest,
    mistakes: located(complaints).map(({ line, pointer, message }) => `${line} ${pointer} ${message}`),
  };
}

const FIELD = '/projects/0/trackers/0/fields/0';
const DEFAULTS: readonly (readonly [members: string, fault: string])[] = [
  ['type: string, default: "x\\ny"', LINE],
  ['type: string, default: "x\\0"', LINE],
  ['type: string, default: "\\ud800"', HALF],
  ['type: text, default: "\\udc00 x"', HALF],
  ['type: string, max_chars: 2, default: abc', 'takes at most 2 characters'],
  ['type: int, default: 9007199254740993', 'takes an integer between -(2^53 - 1) and 2^53 - 1, not 9007199254740992'],
  ['type: date, default: 0000-02-20', '"0000-02-20" has to be a date such as 2024-03-05'],
  ['type: date, default: 2023-02-29', '"2023-02-29" has to be a date such as 2024-03-05'],
  [
    'type: date, time: true, default: 0000-02-20T10:11:00Z',
    '"0000-02-20T10:11:00Z" has to be a date such as 2024-03-05T10:11:00Z',
  ],
];

describe('a default of a platform file', () => {
  for (const [members, fault] of DEFAULTS) {
    it(`is refused where an artifact would refuse it: ${members}`, () => {
      expect(planned(field(members)).mistakes).to.deep.equal([`3 ${FIELD}/default ${fault}`]);
    });
  }

  it('is as long as the characters of an artifact may be', () => {
    expect(planned(field('type: string, max_chars: 2, default: "\u{1f600}\u{1f600}"')).mistakes).to.deep.equal([]);
    expect(planned(field('type: text, default: "x\\ny"')).mistakes).to.deep.equal([]);
    expect(planned(field('type: int, default: -9007199254740991')).mistakes).to.deep.equal([]);
    expect(planned(field('type: date, default: 0001-02-20')).mistakes).to.deep.equal([]);
  });

  it('stays where an earlier release has accepted it', () => {
    for (const [members] of DEFAULTS.filter(([text]) => !text.includes('2023'))) {
      const { default: faulty, ...sound } = valueIn(members);
      const { after } = planned(field(JSON.stringify(sound).slice(1, -1)));
      const old = structuredClone(after);
      for (const { fields } of old.trackers.values())
        Object.assign(fields[0]!, { default: stored(sound['type'], faulty) });
      expect(planned(field(`${members}, description: New`), old).mistakes, members).to.deep.equal([]);
      expect(planned(field(`type: ${String(sound['type'])}`), old).mistakes, members).to.deep.equal([]);
    }
  });
});

const valueIn = (members: string): Record<string, unknown> => {
  const { projects = [] } = parsePlatformFile(field(members)).file;
  const { name, label, ...rest } = projects[0]!.trackers![0]!.fields[0]!;
  expect([name, label]).to.deep.equal(['f', 'F']);
  return rest;
};

function stored(type: unknown, value: unknown): unknown {
  if (type === 'text') return { text: value, format: 'text' };
  return type === 'date' ? { date: value } : value;
}

const LABELLED = (label: string): string => `
artifact_link_types: [{ shortname: fixes, forward_label: ${label}, reverse_label: ${label} }]
users: [{ username: ann, real_name: ${label}, email: a@b, password: x }]
projects:
  - shortname: lab
    label: ${label}
    user_groups: [{ short_name: crew, label: ${label} }]
    trackers:
      - item_name: bug
        label: ${label}
        fields: [{ name: f, label: ${label}, type: sb, values: [{ label: ${label} }] }]
        reports: [{ name: ${label} }]
`;

describe('a label of a platform file', () => {
  for (const [label, fault] of [
    ['"a\\nb"', LINE],
    ['"a\\rb"', LINE],
    ['"a\\0b"', LINE],
    ['"a\\ud800b"', HALF],
  ] as const) {
    it(`is one line of whole characters, unlike ${label}`, () => {
      const { mistakes } = planned(LABELLED(label));
      expect(mistakes.map((mistake) => mistake.split(' ').slice(1).join(' '))).to.have.members(
        [
          '/artifact_link_types/0/forward_label',
          '/artifact_link_types/0/reverse_label',
          '/users/0/real_name',
          '/projects/0/label',
          '/projects/0/user_groups/0/label',
          '/projects/0/trackers/0/label',
          '/projects/0/trackers/0/fields/0/label',
          '/projects/0/trackers/0/fields/0/values/0/label',
          '/projects/0/trackers/0/reports/0/name',
        ].map((pointer) => `${pointer} ${fault}`),
      );
    });
  }

  it('stays where an earlier release has accepted it', () => {
    const { after } = planned(LABELLED('X'));
    const renamed = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('"X"', '"a\\nb"')) as T;
    const before = {
      ...after,
      platform: renamed(after.platform),
      users: new Map(renamed([...after.users])),
      projects: new Map(renamed([...after.projects])),
      trackers: new Map(renamed([...after.trackers])),
    };
    expect(JSON.stringify([...before.projects])).to.include('a\\nb');
    expect(planned(LABELLED('"a\\nb"'), before).mistakes).to.deep.equal([]);
  });
});

const DESCRIBED = (text: string): string => `
projects:
  - shortname: lab
    label: Lab
    description: ${text}
    trackers:
      - item_name: bug
        label: Bugs
        description: ${text}
        fields: [{ name: f, label: F, type: int, description: ${text} }]
`;

describe('a description of a platform file', () => {
  it('holds whole characters, on any number of lines', () => {
    expect(planned(DESCRIBED('"a\\nb"')).mistakes).to.deep.equal([]);
    expect(planned(DESCRIBED('"a\\ud800b"')).mistakes).to.deep.equal([
      `5 /projects/0/description ${HALF}`,
      `9 /projects/0/trackers/0/description ${HALF}`,
      `10 /projects/0/trackers/0/fields/0/description ${HALF}`,
    ]);
  });

  it('stays where an earlier release has accepted it', () => {
    const { after } = planned(DESCRIBED('X'));
    const faulty = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('"X"', '"a\\ud800b"')) as T;
    const [projects, trackers] = [after.projects, after.trackers].map(
      (all) => new Map(faulty([...(all as Map<number, object>)])),
    );
    const before = { ...after, projects, trackers } as PlannedPlatform;
    expect(planned(DESCRIBED('"a\\ud800b"'), before)).to.deep.include({ mistakes: [], steps: [] });
  });
});

describe('the address of a user in a platform file', () => {
  for (const [email, fault] of [
    ['"a\\0@b"', LINE],
    ['"a\\udc00@b"', HALF],
  ] as const) {
    it(`holds whole characters, and no NUL, unlike ${email}`, () => {
      const text = `users: [{ username: ann, real_name: Ann, email: ${email}, password: x }]`;
      expect(planned(text).mistakes).to.deep.equal([`1 /users/0/email ${fault}`]);
    });
  }
});

describe('the query of a report', () => {
  it('holds whole characters', () => {
    const report = '        reports: [{ name: R, query: "f = \\"\\ud800\\"" }]\n';
    expect(planned(DESCRIBED('X').replace('int', 'string') + report).mistakes).to.deep.equal([
      `11 /projects/0/trackers/0/reports/0/query ${HALF}`,
    ]);
  });
});
