import { expect } from 'chai';
import fc from 'fast-check';
import { type Document } from 'mongodb';
import { type Criterion } from '../../../../src/core/read-models.js';
import {
  entriesOf,
  ordered,
  orderName,
  sortable,
  sorted,
  underKey,
} from '../../../../src/stores/mongodb/read-models/entries.js';
import { filterOf } from '../../../../src/stores/mongodb/read-models/filter.js';
import { storedText } from '../../../../src/stores/shared/well-formed-text.js';
import { matches, note, notes } from '../../contracts/read-models-fixture.js';

const number = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), Infinity, -Infinity, Number.MIN_VALUE, 1e300),
);
/** The order of the servers. */
const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const bound = fc.option(number, { nil: undefined });
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'B', 'é', 'e\u0301', '😀', '\ud83d', '\0', '\u0001', '.', '$'),
    maxLength: 12,
  }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

describe('index entries on MongoDB', () => {
  it('sort as their numbers do', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const order = Math.sign(compareBytes(sortable(a), sortable(b)));
        expect(order).to.equal(a === b ? 0 : Math.sign(a > b ? 1 : -1));
      }),
      { numRuns: 1000 },
    );
  });

  it('sort texts as texts, behind all numbers', () => {
    fc.assert(
      fc.property(number, fc.string(), fc.string(), (n, a, b) => {
        expect(compareBytes(sortable(n), sortable(a))).to.equal(-1);
        expect(Math.sign(compareBytes(sortable(a), sortable(b)))).to.equal(Math.sign(compareBytes(a, b)));
      }),
    );
  });

  it('tell one zero from no other', () => {
    expect(sortable(-0)).to.equal(sortable(0));
    expect(ordered(-0)).to.equal(0);
  });

  it('give their numbers and texts back', () => {
    fc.assert(
      fc.property(fc.oneof(number, text), (value) => {
        expect(sorted(sortable(value))).to.equal(ordered(value));
      }),
    );
  });

  it('have names of their own for the keys that order them, without a point or a dollar, and never a number alone', () => {
    const key = fc.string({ unit: fc.constantFrom('a', '.', ':', '%', '$', 's', 'k', '1'), maxLength: 4 });
    fc.assert(
      fc.property(key, key, (one, other) => {
        expect(orderName(one)).not.to.match(/[.$]|^\d*$/);
        expect(orderName(one) === orderName(other)).to.equal(one === other);
      }),
      { numRuns: 2000 },
    );
  });

  it('of different keys are different, with any characters in keys and values', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '\u0001', '\u0002', '-', '='), maxLength: 4 });
    fc.assert(
      fc.property(piece, piece, piece, piece, (key, rest, otherKey, otherRest) => {
        const isSame = key === otherKey && rest === otherRest;
        expect(underKey(key, rest) === underKey(otherKey, otherRest)).to.equal(isSame);
      }),
      { numRuns: 2000 },
    );
  });

  it('hold what the document says, each thing once, and a word that every document has', () => {
    const document = note(
      1,
      { key: 'k', value: 5 },
      { key: 'k', value: 'x' },
      { key: 'k', value: 5 },
      { key: 'nan', value: NaN },
      { key: 't', text: 'ABCD' },
      { key: 'u', value: 6, unordered: true },
    );
    expect(entriesOf(notes, document)).to.deep.equal({
      e: ['*', 'k\u0001nc014', 'k\u0001sx', 't\u0001t', 'u\u0001nc018'],
      t: ['t\u0001abcd'],
      o: { kk: { i: true, a: 5, z: 'x' } },
    });
    expect(entriesOf({ name: 'plain' }, { id: 1 })).to.deep.equal({ e: ['*'], t: [], o: {} });
  });

  it('never are half a character', () => {
    fc.assert(
      fc.property(fc.array(text), text, (texts, value) => {
        const entries = [...texts.map((one) => ({ key: 't', text: one })), { key: value, value }];
        const { e, t, o } = entriesOf(notes, note(value, ...entries));
        const places = Object.entries(o).flatMap(([name, { a, z }]) => [name, String(a), String(z)]);
        for (const stored of [...e, ...t, ...places]) {
          expect(stored).to.equal(Buffer.from(stored).toString());
          expect(stored).not.to.contain('\0');
        }
      }),
    );
  });
});

/** As JavaScript writes it. */
const expression = (pattern: string): RegExp => new RegExp(pattern.replaceAll('\\z', '$'), 'u');

describe('ranges of numbers on MongoDB', () => {
  const range = fc
    .record({ above: bound, from: bound, to: bound, below: bound })
    .map((bounds): Readonly<Record<string, number>> => {
      const given = Object.entries(bounds).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      return Object.fromEntries(given);
    });

  const isBetween = (entry: string, { $gte, $lt }: Document): boolean => $gte <= entry && entry < $lt;

  it('are told by their ends, and by an expression for the entry', () => {
    fc.assert(
      fc.property(range, number, fc.boolean(), (bounds, anywhere, isNear) => {
        const ends = Object.values(bounds);
        const value = isNear ? (ends[0] ?? anywhere) : anywhere;
        const criterion: Criterion = { type: 'range', key: 'k', ...bounds };
        const isWithin = matches([{ key: 'k', value }], criterion);
        const found = filterOf([criterion])?.e as Document | undefined;
        const entry = underKey('k', sortable(value));
        expect(found !== undefined && isBetween(entry, found['$elemMatch'])).to.equal(isWithin);
        expect(found !== undefined && expression(found['$elemMatch'].$regex).test(entry)).to.equal(isWithin);
      }),
      { numRuns: 2000 },
    );
  });

  it('match no text', () => {
    const found = filterOf([{ type: 'range', key: 'k', from: 1 }])?.e as Document | undefined;
    const { $lt, $regex } = found?.['$elemMatch'] ?? {};
    const entry = underKey('k', sortable('ffff'));
    expect([entry < $lt, expression($regex).test(entry)]).to.deep.equal([false, false]);
  });

  it('are nothing where an end is no number', () => {
    expect(filterOf([{ type: 'range', key: 'k', from: NaN }])).to.equal(null);
    expect(filterOf([{ type: 'range', key: 'k', from: 2, below: 2 }])).to.equal(null);
  });
});

describe('queries on MongoDB', () => {
  it('walk the index of values', () => {
    expect(filterOf([{ type: 'any-of', key: 'k', values: ['x', 'x', NaN] }])).to.deep.equal({ e: 'k\u0001sx' });
    expect(filterOf([{ type: 'any-of', key: 'k', values: ['x', 'y'] }])).to.deep.equal({
      e: { $in: ['k\u0001sx', 'k\u0001sy'] },
    });
    expect(filterOf([{ type: 'range', key: 'k', from: 1, below: 2 }])).to.deep.equal({
      e: {
        $elemMatch: {
          $gte: 'k\u0001nbff',
          $lt: 'k\u0001nc',
          $regex: '^k\u0001nbff',
        },
      },
    });
  });

  it('walk all documents there are where nothing else is asked', () => {
    expect(filterOf([])).to.deep.equal({ e: '*' });
  });

  it('walk the texts under a key', () => {
    expect(filterOf([{ type: 'contains', key: 't', text: 'A.' }])).to.deep.equal({
      e: 't\u0001t',
      t: { $regex: '^t\u0001[\\s\\S]*a\\.' },
    });
  });

  it('ask for all of several things', () => {
    const where: readonly Criterion[] = [
      { type: 'any-of', key: 'a', values: [1] },
      { type: 'any-of', key: 'b', values: ['x'] },
    ];
    expect(filterOf(where)).to.deep.equal({ $and: [{ e: 'a\u0001nbff' }, { e: 'b\u0001sx' }] });
  });

  it('walk what is asked where something else is excluded, and all documents there are where nothing is', () => {
    const excluded: Criterion = { type: 'any-of', key: 'a', values: ['x'] };
    const not: Criterion = { type: 'not', criterion: excluded };
    expect(filterOf([{ type: 'any-of', key: 'b', values: ['y'] }, not])).to.deep.equal({
      $and: [{ e: 'b\u0001sy' }, { $nor: [{ e: 'a\u0001sx' }] }],
    });
    expect(filterOf([not])).to.deep.equal({ $and: [{ e: '*' }, { $nor: [{ e: 'a\u0001sx' }] }] });
    expect(filterOf([{ type: 'not', criterion: not }])).to.deep.equal({ e: 'a\u0001sx' });
    expect(filterOf([{ type: 'empty', key: 'k' }])).to.deep.equal({
      $and: [{ e: '*' }, { $nor: [{ e: { $regex: '^k\u0001' } }] }],
    });
    expect(filterOf([{ type: 'or', criteria: [excluded, { type: 'not', criterion: not }] }])).to.deep.equal({
      $or: [{ e: 'a\u0001sx' }, { e: 'a\u0001sx' }],
    });
    expect(filterOf([{ type: 'or', criteria: [excluded, { type: 'and', criteria: [] }] }])).to.deep.equal({ e: '*' });
  });

  it('are not asked where nothing can match', () => {
    expect(filterOf([{ type: 'not', criterion: { type: 'and', criteria: [] } }])).to.equal(null);
    expect(filterOf([{ type: 'any-of', key: 'k', values: [] }])).to.equal(null);
    expect(filterOf([{ type: 'any-of', key: 'k', values: [NaN] }])).to.equal(null);
    expect(filterOf([{ type: 'range', key: 'k', above: 1, to: 1 }])).to.equal(null);
  });

  it('find a text by each part of it', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(40), (whole, at, length) => {
        const characters = Array.from(storedText(whole));
        const from = at % (characters.length + 1);
        const part = characters.slice(from, from + length).join('');
        const { e, t } = entriesOf(notes, note(1, { key: 't', text: whole }));
        const filter = JSON.parse(JSON.stringify(filterOf([{ type: 'contains', key: 't', text: part }])));
        expect(t.some((one) => new RegExp(filter.t.$regex, 'u').test(one))).to.equal(true);
        expect(e).to.include(filter.e);
      }),
      { numRuns: 500 },
    );
  });
});
