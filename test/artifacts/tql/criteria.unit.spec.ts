import { expect } from 'chai';
import { meaningOf } from '../../../src/artifacts/tql/criteria.js';
import { parsed } from '../../../src/artifacts/tql/parse.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { Problem } from '../../../src/core/problem.js';
import { type Criterion } from '../../../src/core/read-models.js';
import { PROJECT_ADMINS, REGISTERED_USERS } from '../../../src/projects/project-events.js';
import { definitionsOf, fieldOf, listValueOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';

const ann = userOf(115, { username: 'ann' });
const tracker = trackerOf([
  fieldOf(500, 'fieldset', { name: 'box', fields: [fieldOf(501, 'string', { name: 'title' })] }),
  fieldOf(502, 'sb', {
    name: 'status',
    values: [listValueOf(301, { label: 'New' }), listValueOf(302, { label: 'new' })],
  }),
  fieldOf(503, 'int', { name: 'points' }),
  fieldOf(504, 'date', { name: 'due' }),
  fieldOf(505, 'msb', { name: 'owner', bind: 'users', from: [REGISTERED_USERS] }),
  fieldOf(506, 'subby', { name: 'author' }),
  fieldOf(509, 'msb', { name: 'team', bind: 'user_groups', from: Array.from({ length: 50 }, (_, n) => 200 + n) }),
  fieldOf(507, 'string', { name: 'secret', permissions: { read: [PROJECT_ADMINS], submit: null, update: null } }),
  fieldOf(508, 'subon', { name: 'created' }),
  ...(['tbl', 'aid', 'atid', 'computed', 'art_link', 'perm', 'file'] as const).map((type, n) =>
    fieldOf(510 + n, type, { name: type }),
  ),
]);
let labelsRead = 0;
const groups = Array.from({ length: 50 }, (_, n) => ({
  id: 200 + n,
  shortName: `team${n}`,
  members: [],
  get label() {
    labelsRead += 1;
    return n < 2 ? 'Équipe' : `Team ${n}`;
  },
}));
const definitions = definitionsOf({ users: [ann], projects: [projectOf({ groups })], trackers: [tracker] });
const now = new Date('2024-01-31T12:30:40Z');

function meant(query: string, user: typeof ann | null = ann): Criterion {
  const readable = viewer(definitions, user).readable(tracker);
  const context = { definitions, projectId: 110, user, now };
  return meaningOf(parsed(query), readable, context).criterion(() => ({ type: 'or', criteria: [] }));
}

function mistakes(query: string, user: typeof ann | null = ann): readonly string[] {
  try {
    meant(query, user);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.kind).to.equal('invalid');
    const details = error.details ?? [];
    expect(error.message).to.equal(`expert_query, ${details[0]?.message}`);
    return details.map(({ pointer, message }) => {
      expect(pointer).to.equal('expert_query');
      return message;
    });
  }
  throw new Error(`${query} was accepted`);
}

const day = (text: string): number => Date.parse(text) / 1000;

describe('what an expert query means', () => {
  it('is the criteria of its comparisons, on one level where one word joins them', () => {
    expect(meant('title = "a B" and (points != 5 and (status = "NEW"))')).to.deep.equal({
      type: 'and',
      criteria: [
        { type: 'contains', key: '101.f501', text: 'a B' },
        { type: 'not', criterion: { type: 'any-of', key: '101.f503', values: [5] } },
        { type: 'any-of', key: '101.f502', values: [301, 302] },
      ],
    });
    expect(meant('author = MYSELF() OR owner = ""')).to.deep.equal({
      type: 'or',
      criteria: [
        { type: 'any-of', key: '101.subby', values: [115] },
        { type: 'empty', key: '101.f505' },
      ],
    });
    expect(meant('STATUS in ("gone", "new")')).to.deep.equal({ type: 'any-of', key: '101.f502', values: [301, 302] });
  });

  it('compares with numbers of any size, and with the largest one in place of those beyond it', () => {
    const above = (number: number | string) => ({ type: 'range', key: '101.f503', above: Number(number) });
    const digits = `1${'0'.repeat(19)}`;
    expect(meant(`points > ${digits}.5`)).to.deep.equal(above(digits));
    expect(meant('points > "1e19"')).to.deep.equal(above(digits));
    expect(meant(`points > 1${'0'.repeat(400)}`)).to.deep.equal(above(Number.MAX_VALUE));
  });

  it('counts months and years by the calendar, days and minutes in UTC', () => {
    const march = day('2024-03-02T00:00:00Z');
    expect(meant('due < NOW() + 1m')).to.deep.equal({ type: 'range', key: '101.f504', below: march });
    expect(meant('due > NOW() - 1y')).to.deep.equal({
      type: 'range',
      key: '101.f504',
      above: day('2023-01-31T23:59:59Z'),
    });
    expect(meant('created = NOW() - 2w')).to.deep.equal({
      type: 'range',
      key: '101.subon',
      from: day('2024-01-17T12:30:00Z'),
      to: day('2024-01-17T12:30:59Z'),
    });
    expect(meant('created >= "2024-2-31 9:05"')).to.deep.equal({
      type: 'range',
      key: '101.subon',
      from: day('2024-03-02T09:05:00Z'),
    });
  });

  it('takes no field that the reader may not read, that is none, or that cannot be searched', () => {
    expect(mistakes('secret = "x"\nor box = "x" or @title = "x" or points = "x"')).to.deep.equal([
      'line 1, column 1: Unknown field "secret"; use the name of a field of the tracker',
      'line 2, column 4: Unknown field "box"; use the name of a field of the tracker',
      'line 2, column 17: Unknown field "@title"; use the name of a field of the tracker',
    ]);
    for (const name of ['tbl', 'aid', 'atid', 'computed', 'art_link', 'perm']) {
      expect(mistakes(`${name} = "1"`)[0]).to.have.string(
        `Fields of type ${name}, such as "${name}", cannot be searched`,
      );
    }
  });

  it('names all unknown fields and nothing else, or else all other mistakes', () => {
    const wrong = 'title < "a" AND (IS COVERED OR status = "x")';
    expect(mistakes(`${wrong} AND nope = 1 AND box = "x"`)).to.deep.equal([
      'line 1, column 50: Unknown field "nope"; use the name of a field of the tracker',
      'line 1, column 63: Unknown field "box"; use the name of a field of the tracker',
    ]);
    expect(mistakes(wrong)).to.deep.equal([
      'line 1, column 1: Unsupported operator < for field "title"; use = or !=',
      'line 1, column 18: Unknown link type "_covered_by"; use "_is_child"',
      'line 1, column 32: Field "status" has no value "x"; use the label of one of its values',
    ]);
  });

  const wrong: readonly (readonly [string, string])[] = [
    ['title < "x"', 'Unsupported operator < for field "title"; use = or !='],
    ['title = NOW()', 'Field "title" cannot be compared with NOW(); use a text in quotes'],
    ['title = OPEN()', 'cannot be compared with OPEN()'],
    ['file < "x"', 'Unsupported operator < for field "file"; use = or !='],
    ['file = NOW()', 'Field "file" cannot be compared with NOW(); use a text in quotes'],
    ['@comments IN ("x")', 'Unsupported operator IN for field "@comments"; use = or !='],
    ['title != "a\0b"', 'Field "title" cannot be compared with a text that holds the character U+0000'],
    [String.raw`@comments = "\u0"`, 'Field "@comments" cannot be compared with a text that holds the character U+0000'],
    ['@comments = MYSELF()', 'Field "@comments" cannot be compared with MYSELF(); use a text in quotes'],
    ['points IN (1)', 'Unsupported operator IN for field "points"'],
    ['points = "many"', 'Field "points" cannot be compared with "many"; use a number'],
    ['points = "0x10"', 'Field "points" cannot be compared with "0x10"; use a number'],
    ['points < ""', 'Field "points" cannot be compared with an empty text by <; use = or !='],
    ['points BETWEEN (1, NOW())', 'Field "points" cannot be compared with NOW(); use a number'],
    ['due = "2024-03-10 14:05"', 'Field "due" cannot be compared with "2024-03-10 14:05"; use "2026-03-10" or NOW()'],
    ['due = 5', 'cannot be compared with "5"'],
    ['due = MYSELF()', 'cannot be compared with MYSELF()'],
    ['due = NOW() + 999999999y', 'Field "due" cannot be compared with NOW() + 999999999y; use "2026-03-10" or NOW()'],
    ['created = "2024-03-10T14:05"', 'use "2026-03-10", "2026-03-10 14:05" or NOW()'],
    ['created = "2024-13-01"', 'Field "created" cannot be compared with "2024-13-01"'],
    ['status = "gone"', 'Field "status" has no value "gone"'],
    ['status in ("gone", "lost")', 'Field "status" has no value "gone"'],
    ['status in ("new", "")', 'Field "status" cannot be compared with an empty text by IN; use = or !='],
    ['status = NOW()', 'Field "status" cannot be compared with NOW(); use a text in quotes or MYSELF()'],
    ['owner = "bob"', 'Field "owner" has no value "bob"'],
    ['author in ("ann", "bob")', 'Field "author" knows no user "bob"'],
    ['author = ""', 'Field "author" cannot be compared with an empty text by ='],
    ['IS LINKED TO WITH TYPE "x"', 'Unknown link type "x"; use "_is_child"'],
    ['IS LINKED TO WITH TYPE ""', 'Unknown link type ""; use "_is_child"'],
    ['IS COVERED', 'Unknown link type "_covered_by"'],
    ['WITHOUT PARENT TRACKER != "bug"', 'is a double negative'],
  ];
  for (const [query, message] of wrong) {
    it(`is refused: ${query}`, () => {
      expect(mistakes(query)[0]).to.have.string(`line 1, column 1: `).and.to.have.string(message);
    });
  }

  it('names groups by their names and labels, which are looked through once', () => {
    const any = (...values: readonly number[]) => ({ type: 'any-of', key: '101.f509', values });
    expect(meant('team = "E\u0301QUIPE"')).to.deep.equal(any(200, 201));
    expect(meant('team in (" TEAM3 ", "team 4", "nobody")')).to.deep.equal(any(203, 204));
    const before = labelsRead;
    const names = Array.from({ length: 1000 }, (_, n) => `"team${n}"`).join();
    expect(meant(`team in (${names})`)).to.deep.equal(any(...groups.map(({ id }) => id)));
    expect(labelsRead).to.equal(before);
  });

  it('refuses MYSELF() of an anonymous reader', () => {
    expect(mistakes('author = MYSELF()', null)[0]).to.have.string('nobody is signed in');
  });

  it('bounds conditions that are asked of each artifact, values, and levels', () => {
    const many = (term: string, n: number): string => Array.from({ length: n }, () => term).join(' or ');
    expect(meant(many('points > 5', 100)).type).to.equal('or');
    for (const term of ['title = "x"', 'points != 5', 'status = ""', 'status not in ("new")', 'WITH PARENT']) {
      expect(meant(many(term, 20)).type).to.equal('or');
      expect(mistakes(many(term, 21))[0]).to.have.string('At most 20 conditions');
    }
    const listed = (n: number): string => `status in (${'"new",'.repeat(n)})`;
    expect(meant(listed(1000)).type).to.equal('any-of');
    expect(mistakes(listed(1001))[0]).to.have.string('IN takes at most 1000 values');
    const compared = (term: string, n: number): string => `${term} = "${'x'.repeat(n)}"`;
    expect(meant(compared('title', 1000)).type).to.equal('contains');
    for (const term of ['title', 'author', '@comments'])
      expect(mistakes(compared(term, 1001))[0]).to.have.string('texts of at most 1000 characters');
    const nested = (n: number): string =>
      n === 0 ? 'points != 1' : `points = ${n} ${n % 2 === 0 ? 'and' : 'or'} (${nested(n - 1)})`;
    expect(meant(nested(18)).type).to.equal('and');
    expect(mistakes(nested(19))[0]).to.have.string('AND and OR alternate more than 18 times');
  });
});
