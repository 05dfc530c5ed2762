import { expect } from 'chai';
import { artifactFilter } from '../../../src/artifacts/filter/filter.js';
import { Problem } from '../../../src/core/problem.js';
import { type Criterion } from '../../../src/core/read-models.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { PROJECT_ADMINS, PROJECT_MEMBERS } from '../../../src/projects/project-events.js';
import { definitionsOf, fieldOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';

const member = userOf(115);
const tracker = trackerOf([
  fieldOf(501, 'string', { name: 'title' }),
  fieldOf(503, 'int', { name: 'points' }),
  fieldOf(504, 'date', { name: 'due' }),
  fieldOf(505, 'tbl', {
    name: 'tags',
    bind: 'static',
    values: [
      { id: 12, label: 'urgent', color: '', hidden: false },
      { id: 13, label: 'both', color: '', hidden: true },
    ],
  }),
  fieldOf(521, 'aid', { name: 'id' }),
  fieldOf(525, 'subon', { name: 'created' }),
  fieldOf(527, 'tbl', { name: 'watchers', bind: 'users', from: [PROJECT_MEMBERS] }),
  fieldOf(528, 'tbl', { name: 'crews', bind: 'user_groups', from: [PROJECT_MEMBERS] }),
]);
const definitions = definitionsOf({
  users: [member],
  projects: [projectOf({ members: [member.id] })],
  trackers: [tracker],
  openValues: {
    505: [
      { number: 7, label: 'own' },
      { number: 8, label: 'both' },
      { number: 9, label: 'cafe\u0301' },
    ],
  },
});

const read = (filter: unknown): readonly Criterion[] =>
  artifactFilter(tracker, { viewer: viewer(definitions, null), definitions }, filter);

function message(filter: unknown): string | undefined {
  try {
    read(filter);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return error.details?.[0]?.message;
    throw error;
  }
  return undefined;
}

const day = (text: string): number => Date.parse(text) / 1000;

describe('a criterion', () => {
  const numbers: readonly (readonly [unknown, Extract<Criterion, { key: string }>])[] = [
    [
      { operator: '=', value: 42 },
      { type: 'any-of', key: '101.f503', values: [42] },
    ],
    [
      { operator: '<', value: '5' },
      { type: 'range', key: '101.f503', below: 5 },
    ],
    [
      { operator: '<=', value: 5 },
      { type: 'range', key: '101.f503', to: 5 },
    ],
    [
      { operator: '>', value: 5 },
      { type: 'range', key: '101.f503', above: 5 },
    ],
    [
      { operator: '>=', value: -5 },
      { type: 'range', key: '101.f503', from: -5 },
    ],
    [
      { operator: 'contains', value: '>5' },
      { type: 'range', key: '101.f503', above: 5 },
    ],
    [
      { operator: 'between', value: [1, '9'] },
      { type: 'range', key: '101.f503', from: 1, to: 9 },
    ],
  ];
  for (const [asked, criterion] of numbers) {
    it(`compares numbers by an operator of its own: ${JSON.stringify(asked)}`, () => {
      expect(read({ points: asked })).to.deep.equal([criterion]);
      const { key, ...rest } = criterion;
      expect([key, read({ id: asked })]).to.deep.equal(['101.f503', [{ ...rest, key: '101.aid' }]]);
    });
  }

  const dates: readonly (readonly [unknown, object])[] = [
    ['>2024-03-05', { above: day('2024-03-05T23:59:59Z') }],
    ['<=2024-03-05', { to: day('2024-03-05T23:59:59Z') }],
    [{ operator: '<=', value: '2024-03-05' }, { to: day('2024-03-05T23:59:59Z') }],
    ['>= 2024-03-05T10:11Z', { from: day('2024-03-05T10:11Z') }],
    ['>=2024-03-05T10:11+14:00', { from: day('2024-03-04T20:11Z') }],
    ['2024-02-29 - 2024-03-05 10:11', { from: day('2024-02-29'), to: day('2024-03-05T10:11Z') }],
    [{ operator: 'contains', value: '<2024-03-05' }, { below: day('2024-03-05') }],
  ];
  for (const [asked, range] of dates) {
    it(`compares dates in a text or by an operator: ${JSON.stringify(asked)}`, () => {
      expect(read({ due: asked })).to.deep.equal([{ type: 'range', key: '101.f504', ...range }]);
      expect(read({ created: asked })).to.deep.equal([{ type: 'range', key: '101.subon', ...range }]);
    });
  }

  const labels: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['tags', 'urgent', ['b12']],
    ['tags', ['own', 13, ' urgent '], ['o7', 'b13', 'b12']],
    ['tags', 'both', ['b13', 'o8']],
    ['tags', 'caf\u00e9', ['o9']],
    ['tags', { operator: 'contains', value: 'Urgent' }, ['o0']],
    ['tags', ['never added', 100], ['o0']],
    ['watchers', member.username, ['b115']],
    ['crews', ['project_members', '110_3'], ['b3', 'b3']],
  ];
  for (const [field, asked, values] of labels) {
    it(`finds items of open lists by their labels: ${field} ${JSON.stringify(asked)}`, () => {
      const [criterion, ...others] = read({ [field]: asked });
      expect(criterion).to.deep.include({ type: 'any-of', values });
      expect(others).to.deep.equal([]);
    });
  }

  const keys = { title: '101.f501', points: '101.f503', due: '101.f504', tags: '101.f505', id: '101.aid' };
  const instant = day('2024-03-05T10:11Z');
  const equal: readonly (readonly [keyof typeof keys, unknown, object])[] = [
    ['title', 'Pump  leaks', { type: 'contains', text: 'Pump  leaks' }],
    ['title', 42, { type: 'contains', text: '42' }],
    ['points', '42', { type: 'any-of', values: [42] }],
    ['id', 7, { type: 'any-of', values: [7] }],
    ['due', '2024-03-05T10:11Z', { type: 'range', from: instant, to: instant }],
    ['tags', ['own', 12, 100], { type: 'any-of', values: ['o7', 'b12'] }],
  ];
  for (const [field, value, asked] of equal) {
    it(`finds what is equal, or all else: ${field} ${JSON.stringify(value)}`, () => {
      const criterion = { ...asked, key: keys[field] };
      expect(read({ [field]: { operator: '=', value } })).to.deep.equal([criterion]);
      expect(read({ [field]: { operator: '!=', value } })).to.deep.equal([{ type: 'not', criterion }]);
    });
  }

  for (const [field, key] of Object.entries(keys)) {
    it(`finds fields with and without a value: ${field}`, () => {
      const criterion = { type: 'empty', key };
      expect(read({ [field]: { operator: 'empty', value: true } })).to.deep.equal([criterion]);
      expect(read({ [field]: { operator: 'empty', value: false } })).to.deep.equal([{ type: 'not', criterion }]);
    });
  }

  it('takes an object of one member for its value, for every type', () => {
    for (const [field, value] of [
      ['title', 'Pump'],
      ['points', 5],
      ['due', '2024-03-05'],
      ['tags', 'own'],
    ] as const) {
      expect(read({ [field]: { anything: value } }), field).to.deep.equal(read({ [field]: value }));
    }
  });

  for (const filter of [
    { points: { operator: '<', value: '>5' } },
    { points: { operator: 'between', value: [1] } },
    { points: { operator: 'between', value: [1, 'many'] } },
    { points: { operator: 'between', value: '1 - 9' } },
    { points: `>${' '.repeat(100_000)}` },
    { points: '1'.repeat(300) },
    { due: '>' },
    { due: '2026-03-05 - ' },
    { due: '2026-03-05-2026-03-06' },
    { due: `2026-03-05${' '.repeat(100_000)}-` },
    { due: '2026-03-05T24:00Z' },
    { due: '>2026-03-05T10:11+14:01' },
    { due: '2026-03-05 - 2026-03-06T10:11-15:00' },
    { due: { operator: '<', value: '2026-03-05T10:11+23:59' } },
    { due: '0000-01-01' },
    { due: '9999-12-31T23:59-00:01' },
    { tags: 1.5 },
    { tags: true },
    { tags: ['urgent', ' '] },
    { tags: ['urgent', null] },
  ]) {
    it(`is refused if its value is none of the type: ${JSON.stringify(filter).slice(0, 60)}`, () => {
      expect(message(filter)).to.be.a('string');
    });
  }

  it('is refused with the operators, or the values, that the field takes', () => {
    const all = '"contains", "=", "!=", "<", "<=", ">", ">=", "between", "empty"';
    const some = '"contains", "=", "!=", "empty"';
    expect(message({ points: { operator: 'like', value: 1 } })).to.equal(`Unsupported operator "like"; use ${all}`);
    expect(message({ title: { operator: '<', value: 'x' } })).to.equal(`Unsupported operator "<"; use ${some}`);
    expect(message({ title: { operator: {}, value: 'x' } })).to.equal(`Unsupported operator the object; use ${some}`);
    expect(message({ title: { operator: 'empty', value: 1 } })).to.equal('The operator "empty" takes true or false');
    for (const title of ['a\0b', { operator: '!=', value: '\0' }, { operator: '=', value: 'a\0' }])
      expect(message({ title })).to.equal('A text with the character U+0000 cannot be searched');
    expect(message({ tags: ['a', 'b\0'] })).to.equal('A text with the character U+0000 cannot be searched');
    expect(message({ points: 'many' })).to.match(/^The field cannot be compared with the value; use a number, /);
    expect(message({ due: 'soon' })).to.match(/use a date such as 2026-03-05, /);
    expect(message({ tags: null })).to.match(/^Expected an id or a label, or a list of both; or an object /);
  });
});

describe('a field that a filter names by its meaning', () => {
  const hidden = { permissions: { read: [PROJECT_ADMINS], submit: null, update: null } };
  const meaningful = trackerOf(
    [
      fieldOf(601, 'string', { name: 'summary' }),
      fieldOf(602, 'text', { name: 'details', ...hidden }),
      fieldOf(603, 'sb', { name: 'state' }),
      fieldOf(604, 'msb', { name: 'owner' }),
      fieldOf(605, 'int', { name: 'contributor' }),
      fieldOf(606, 'int', { name: 'title', used: false }),
    ],
    { semantics: { title: 601, description: 602, status: { field: 603, open: [] }, contributor: 604 } },
  );
  const known = definitionsOf({ users: [member], projects: [projectOf()], trackers: [meaningful] });
  const keyOf = (name: string): unknown => {
    const [criterion] = artifactFilter(meaningful, { viewer: viewer(known, null), definitions: known }, { [name]: 1 });
    return criterion && 'key' in criterion ? criterion.key : criterion;
  };

  it('is the one that has the meaning', () => {
    expect(keyOf('title')).to.equal('101.f601');
    expect(['status', 'status_id'].map(keyOf)).to.deep.equal(['101.f603', '101.f603']);
    expect(keyOf('assigned_to')).to.equal('101.f604');
  });

  it('is the one of that name, where there is one', () => {
    expect(keyOf('contributor')).to.equal('101.f605');
    expect(keyOf('Contributor')).to.equal('101.f605');
  });

  it('does not exist for those who may not read it, nor in a tracker without the meaning', () => {
    expect(() => keyOf('description')).to.throw('These fields do not exist: description');
    expect(() => read({ status: 1 })).to.throw('These fields do not exist: status');
  });
});
