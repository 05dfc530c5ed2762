import { expect } from 'chai';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { applied, EMPTY_PLATFORM, type PlannedPlatform } from './planned-platform.js';

const FIELDS = `
          - { name: title, label: Title, type: string }
          - { name: points, label: Points, type: int }
          - { name: status, label: Status, type: sb, values: [{ label: New }, { label: Done }] }
          - { name: owner, label: Owner, type: sb, bind: users, from: [project_members] }`;

const file = (reports: string, fields = FIELDS): string => `
artifact_link_types: [{ shortname: fixed_in, forward_label: Fixed in, reverse_label: Fixes }]
projects:
  - shortname: hydra
    label: Hydra
    trackers:
      - item_name: bug
        label: Bugs
        fields: ${fields}
${reports.replaceAll(/^(?=.)/gm, '        ')}
`;

function planned(text: string, before: PlannedPlatform = EMPTY_PLATFORM, prune = false) {
  const { file: parsed, located } = parsePlatformFile(text);
  const result = applied(before, parsed, { prune });
  return { ...result, mistakes: located(result.complaints).map((one) => `${one.line} ${one.pointer} ${one.message}`) };
}

function after(text: string, before?: PlannedPlatform, prune = false) {
  const result = planned(text, before, prune);
  expect(result.mistakes).to.deep.equal([]);
  return result;
}

const trackerIn = ({ trackers }: PlannedPlatform) => [...trackers][0]!;
const reportsIn = (platform: PlannedPlatform) => trackerIn(platform)[1].reports ?? [];
const wordsOf = ({ steps }: Pick<ReturnType<typeof planned>, 'steps'>) =>
  steps.map(({ words, widens }) => `${words}${widens ? ' [widens access]' : ''}`);

const POINTER = '/projects/0/trackers/0/reports';

describe('the reports of a platform file', () => {
  it('come with their tracker, with ids of their own and defaults', () => {
    const { after: platform, steps } = after(file('reports: [{ name: Open, query: status = "New" }, { name: All }]'));
    expect(steps.map(({ command }) => command.type).slice(-2)).to.deep.equal(['DefineTracker', 'ChangeTrackerReports']);
    const reports = reportsIn(platform);
    expect(reports.map((report) => ({ ...report, id: 0 }))).to.deep.equal([
      { id: 0, name: 'Open', isPublic: true, isDefault: false, query: 'status = "New"' },
      { id: 0, name: 'All', isPublic: true, isDefault: false, query: '' },
    ]);
    expect(new Set([trackerIn(platform)[0], ...reports.map(({ id }) => id)]).size).to.equal(3);
  });

  it('stay as they are where a file does not name them, and keep their ids while their names stay', () => {
    const first = after(file('reports: [{ name: Open, query: status = "New", default: true }, { name: All }]')).after;
    expect(wordsOf(after(file(''), first))).to.deep.equal([]);
    const second = after(file('reports: [{ name: Mine, query: owner = MYSELF() }, { name: OPEN }]'), first);
    expect(wordsOf(second)).to.deep.equal(['change the reports of tracker hydra/bug']);
    const [mine, open] = reportsIn(second.after);
    expect(open).to.deep.equal({ ...reportsIn(first)[0], name: 'OPEN' });
    expect(reportsIn(first).map(({ id }) => id)).to.not.include(mine?.id);
    expect(reportsIn(after(file('reports: null'), second.after).after)).to.deep.equal([]);
  });

  it('widen access where one becomes public', () => {
    const first = after(file('reports: [{ name: Open, public: false }]')).after;
    const change = 'change the reports of tracker hydra/bug';
    expect(wordsOf(after(file('reports: [{ name: Open }, { name: All }]'), first))).to.deep.equal([change]);
    expect(wordsOf(after(file('reports: [{ name: Open, public: true }]'), first))).to.deep.equal([
      `${change} [widens access]`,
    ]);
  });

  for (const [reports, ...mistakes] of [
    ['[{ name: A }, { name: a }]', '1/name is listed twice: a'],
    [
      '[{ name: A, default: true }, { name: B }, { name: C, default: true }]',
      '2/default is a second default of the tracker',
    ],
    ['[{ name: A, query: "points >" }]', '0/query is no query of this tracker: line 1, column 9: Expected '],
    [
      '[{ name: A, query: "points > 1 AND\\ncost = 2 OR effort = 3" }]',
      '0/query is no query of this tracker: line 2, column 1: Unknown field "cost"; use the name of a field of the tracker',
      '0/query is no query of this tracker: line 2, column 13: Unknown field "effort"; use the name of a field of the tracker',
    ],
    [
      '[{ name: A, query: "points = \'x\'" }]',
      '0/query is no query of this tracker: line 1, column 1: Field "points" cannot be compared with "x"; use a number',
    ],
    [
      '[{ name: A, query: "title < \'x\'" }]',
      '0/query is no query of this tracker: line 1, column 1: Unsupported operator < for field "title"; use = or !=',
    ],
    [
      '[{ name: A, query: "status = \'Old\'" }]',
      '0/query is no query of this tracker: line 1, column 1: Field "status" has no value "Old"',
    ],
    [
      '[{ name: A, query: "status = MYSELF()" }]',
      '0/query is no query of this tracker: line 1, column 1: Field "status" has no value MYSELF()',
    ],
    [
      '[{ name: A, query: "IS LINKED TO WITH TYPE \'nonesuch\'" }]',
      '0/query is no query of this tracker: line 1, column 1: Unknown link type "nonesuch"',
    ],
    [
      `[{ name: A, query: "${'points = 1 OR '.repeat(100)}points = 1" }]`,
      '0/query is no query of this tracker: line 1, column 1401: A query holds at most 100',
    ],
  ] as const) {
    it(`are refused with ${mistakes[0]}`, () => {
      const found = planned(file(`reports: ${reports}`)).mistakes;
      expect(found).to.have.length(mistakes.length);
      found.forEach((mistake, turn) => expect(mistake).to.have.string(`14 ${POINTER}/${mistakes[turn]}`));
    });
  }

  it('are 100 at most, each with a query of 65,535 bytes at most', () => {
    const many = (n: number) => file(`reports: [${Array.from({ length: n }, (_, i) => `{ name: R${i} }`).join()}]`);
    expect(planned(many(100)).mistakes).to.deep.equal([]);
    expect(() => planned(many(101))).to.throw('has 101 items; give at most 100');
    const long = (bytes: number, filled: string) => {
      const query = `title = "${filled}"`;
      return file(`reports: [{ name: R, query: '${query}${' '.repeat(bytes - Buffer.byteLength(query))}' }]`);
    };
    expect(planned(long(65_535, 'é')).mistakes).to.deep.equal([]);
    expect(planned(long(65_536, 'é')).mistakes.join()).to.have.string('A query takes at most 65535 bytes');
  });

  it('may name users who do not exist yet, and link types of the same file', () => {
    after(
      file('reports: [{ name: A, query: \'owner IN ("nobody", MYSELF()) AND IS LINKED TO WITH TYPE "fixed_in"\' }]'),
    );
  });

  it('have to fit the fields that the same file leaves', () => {
    const reports = 'reports: [{ name: A, query: points > 1 }]';
    const first = after(file(reports)).after;
    const title = '[{ name: title, label: Title, type: string }]';
    expect(planned(file(reports, title), first, true).mistakes).to.deep.equal([
      `10 ${POINTER}/0/query is no query of this tracker: line 1, column 1: Unknown field "points"; use the name of a field of the tracker`,
    ]);
    const { after: broken, ...pruned } = after(file('', title), first, true);
    expect(wordsOf(pruned)).to.deep.equal([
      'change the fields of tracker hydra/bug (unused points, unused status, unused owner); reports that no longer fit: A',
    ]);
    expect(wordsOf(after(file(reports, title), broken, true))).to.deep.equal([]);
    expect(planned(file('reports: [{ name: A, query: points > 2 }]', title), broken).mistakes).to.have.length(1);
  });
});
