import { expect } from 'chai';
import fc from 'fast-check';
import { type Criterion, type IndexEntry, type OrderKey, type StartKey } from '../../../src/core/read-models.js';
import {
  asking,
  compareStartKeys,
  deleted,
  matches,
  MODELS,
  note,
  notes,
  startKeyOf,
  PROJECTION,
  servedRun,
  written,
  type Note,
  type OpenedReadModels,
  type Sizes,
} from './read-models-fixture.js';

const key = fc.constantFrom('status', 'size', 'title');
const number = fc.oneof(
  fc.integer({ min: -3, max: 6 }),
  fc.constantFrom(0.1, 1e21, 2 ** 53, -1.5, 1.6e-19, 5e-324, -5e-324, 2 ** -53 - 1),
);
/** Without what a server may order by its UTF-16. */
const sortableText = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '😀', '.', '\n'), maxLength: 3 });
const value = fc.oneof(number, sortableText, fc.constantFrom('5', '', 'a', 'A', 'é', '%', 'o1'));
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'B', 'É', 'e\u0301', '%', '_', '😀', 'ß', 'İ', ' ', "'", '\\'),
    maxLength: 6,
  }),
  fc.string({ unit: 'grapheme', maxLength: 4 }).filter((s) => !/[\0\ufffd]/u.test(s)),
);
const entry: fc.Arbitrary<IndexEntry> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ key, value }) },
  { weight: 1, arbitrary: fc.record({ key, text }) },
);
const entries = fc.array(entry, { maxLength: 7 });
const bound = fc.option(number, { nil: undefined });
const range = fc
  .record({ key, above: bound, from: bound, to: bound, below: bound })
  .map((bounds) => JSON.parse(JSON.stringify({ type: 'range', ...bounds })) as Criterion);
const plain: fc.Arbitrary<Criterion> = fc.oneof(
  fc.record({
    type: fc.constant('any-of' as const),
    key: fc.oneof({ weight: 9, arbitrary: key }, { weight: 1, arbitrary: fc.constant('unknown') }),
    values: fc.array(value, { maxLength: 4 }),
  }),
  range,
  fc.record({ type: fc.constant('contains'), key, text: fc.oneof(text, fc.constantFrom('a', 'é', '')) }),
  fc.record({ type: fc.constant('empty'), key: fc.oneof(key, fc.constant('unknown')) }),
);
const { criterion } = fc.letrec<{ criterion: Criterion }>((tie) => ({
  criterion: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: plain },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('not' as const), criterion: tie('criterion') }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constantFrom('and' as const, 'or' as const),
        criteria: fc.array(tie('criterion'), { maxLength: 3 }),
      }),
    },
  ),
}));
const where = fc.array(criterion, { maxLength: 3 });
const order = fc.uniqueArray(
  fc.record({
    key: fc.oneof(key, fc.constant('unknown')),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  }),
  { maxLength: 3, selector: (one) => one.key },
);

interface Step {
  readonly ids: readonly number[];
  readonly entries: readonly IndexEntry[] | null;
}
const steps = fc.array(
  fc.array(
    fc.record({
      ids: fc.uniqueArray(fc.integer({ min: 0, max: 25 }), { maxLength: 8 }),
      entries: fc.option(entries, { freq: 5 }),
    }),
    { maxLength: 6 },
  ),
  { maxLength: 4 },
);

export function itFindsByCriteria(opened: () => OpenedReadModels, { many, runs }: Sizes): void {
  const { filled, find, ids } = asking(opened);

  describe('criteria', () => {
    it('finds a text by itself and by a part, in upper and lower case', async () => {
      const texts = ['ΟΔΟΣΗΜΑ', 'ο δρόμος', 'H\u0331alaf', 'E\u0301COLE'];
      await filled(...texts.map((each, id) => note(id, { key: 'k', text: each })));
      const holding = (part: string) => ids({ type: 'contains', key: 'k', text: part });
      for (const [id, each] of texts.entries()) expect(await holding(each)).to.deep.equal([id]);
      expect(await holding('ΟΔΟΣ')).to.deep.equal([0]);
      expect(await holding('ΌΜΟΣ')).to.deep.equal([1]);
      expect(await holding('écol')).to.deep.equal([3]);
    });

    it('finds nothing by a text with U+0000 or half a surrogate pair', async () => {
      await filled(...['a\ufffdb', 'a\0b', 'ab'].map((each, id) => note(id, { key: 'k', text: each })));
      for (const part of ['\0', 'a\0b', '\ud800']) {
        const holding: Criterion = { type: 'contains', key: 'k', text: part };
        expect(await ids(holding)).to.deep.equal([]);
        expect(await ids({ type: 'not', criterion: holding })).to.deep.equal([0, 1, 2]);
      }
    });

    it('takes a thousand fractions', async () => {
      await filled(...[0.5, 999.5, 1000.5].map((value, id) => note(id, { key: 'k', value })));
      const values = Array.from({ length: 1000 }, (_, n) => n + 0.5);
      expect(await ids({ type: 'any-of', key: 'k', values })).to.deep.equal([0, 1]);
    });

    it('tells apart numbers that lie as close together as numbers can', async () => {
      const numbers = [-1, 2 ** -53 - 1, -5e-324, 0, 5e-324, 1.6e-19, 2 ** -53, Number.EPSILON, 1, 1 + Number.EPSILON];
      await filled(...numbers.map((number, id) => note(id, { key: 'k', value: number })));
      const all = numbers.map((_, id) => id);
      const order: readonly OrderKey[] = [{ key: 'k', direction: 'desc' }];
      expect((await find({ order })).ids).to.deep.equal(all.toReversed());
      for (const [id, number] of numbers.entries()) {
        expect(await ids({ type: 'any-of', key: 'k', values: [number] })).to.deep.equal([id]);
        expect(await ids({ type: 'range', key: 'k', above: number })).to.deep.equal(all.slice(id + 1));
        const after = { values: [number], id };
        expect((await find({ order, after })).ids).to.deep.equal(all.slice(0, id).toReversed());
      }
      expect(await ids({ type: 'any-of', key: 'k', values: numbers })).to.deep.equal(all);
    });

    it('finds what has no entry under a key, of values and texts', async () => {
      await filled(note(1, { key: 'k', value: 5 }), note(2, { key: 'k', text: '' }), note(3, { key: 'kk', value: 5 }));
      const empty: Criterion = { type: 'empty', key: 'k' };
      expect(await ids(empty)).to.deep.equal([3]);
      expect(await ids({ type: 'not', criterion: empty })).to.deep.equal([1, 2]);
      expect(await ids({ type: 'empty', key: 'never' })).to.deep.equal([1, 2, 3]);
      expect(await ids({ type: 'not', criterion: { type: 'empty', key: 'never' } })).to.deep.equal([]);
    });

    it('finds no document that is gone by what it does not hold', async () => {
      const { commit } = await servedRun(opened());
      await commit(1, written(note(1, { key: 'k', value: 5 }), 1), written(note(2), 1));
      await commit(2, deleted(1, 2));
      const never: Criterion = { type: 'any-of', key: 'never', values: [1] };
      const five: Criterion = { type: 'any-of', key: 'k', values: [5] };
      for (const criterion of [never, five]) {
        expect(await ids({ type: 'not', criterion })).to.deep.equal([2]);
        expect(await ids({ type: 'or', criteria: [{ type: 'not', criterion }, never] })).to.deep.equal([2]);
      }
      expect(await ids({ type: 'empty', key: 'k' })).to.deep.equal([2]);
    });

    it('takes all of no criteria for true, and any of none for false', async () => {
      await filled(note(1), note(2));
      expect(await ids({ type: 'and', criteria: [] })).to.deep.equal([1, 2]);
      expect(await ids({ type: 'or', criteria: [] })).to.deep.equal([]);
      expect(await ids({ type: 'not', criterion: { type: 'or', criteria: [] } })).to.deep.equal([1, 2]);
      expect(await ids({ type: 'not', criterion: { type: 'and', criteria: [] } })).to.deep.equal([]);
    });

    it('takes a hundred criteria, nested twenty deep, each with many values', async () => {
      await filled(...[1, 2, 3].map((value) => note(value, { key: 'k', value })));
      const values = Array.from({ length: 64 }, (_, n) => n + 2);
      const some = Array.from({ length: 40 }, (): Criterion => ({ type: 'any-of', key: 'k', values }));
      const wide: Criterion = {
        type: 'and',
        criteria: [
          { type: 'or', criteria: some },
          { type: 'or', criteria: some },
        ],
      };
      let deep: Criterion = wide;
      for (let depth = 2; depth < 20; depth += 1) {
        const inner: Criterion = deep;
        deep = depth % 2 === 0 ? { type: 'not', criterion: inner } : { type: 'or', criteria: [inner] };
      }
      expect(await ids(wide)).to.deep.equal([2, 3]);
      expect(await ids(deep)).to.deep.equal([1]);
      expect(await ids(...some, ...some)).to.deep.equal([2, 3]);
    });

    it('orders by values, those without any last, and goes on behind a place', async () => {
      await filled(
        note(1, { key: 'k', value: 2 }),
        note(2, { key: 'k', value: 1 }, { key: 'k', value: 3 }),
        note(3),
        note(4, { key: 'k', value: 'a' }),
        note(5, { key: 'k', value: 2 }),
        note(6, { key: 'k', text: 'no value' }),
      );
      const paged = async (order: readonly OrderKey[], direction: 'asc' | 'desc', after?: StartKey) => {
        const page = await find({ order, direction, ...(after === undefined ? {} : { after }) });
        expect(page.total).to.equal(6);
        return page.ids;
      };
      const up = [{ key: 'k', direction: 'asc' }] as const;
      const down = [{ key: 'k', direction: 'desc' }] as const;
      expect(await paged(up, 'asc')).to.deep.equal([2, 1, 5, 4, 3, 6]);
      expect(await paged(up, 'desc')).to.deep.equal([2, 5, 1, 4, 6, 3]);
      expect(await paged(down, 'asc')).to.deep.equal([4, 2, 1, 5, 3, 6]);
      expect(await paged(up, 'asc', { values: [2], id: 1 })).to.deep.equal([5, 4, 3, 6]);
      expect(await paged(up, 'asc', { values: [1.5], id: 9 })).to.deep.equal([1, 5, 4, 3, 6]);
      expect(await paged(down, 'asc', { values: [2], id: 5 })).to.deep.equal([3, 6]);
      expect(await paged(up, 'desc', { values: [null], id: 6 })).to.deep.equal([3]);
      expect(await paged([], 'asc', { values: [], id: 4 })).to.deep.equal([5, 6]);
      expect(await paged([], 'desc', { values: [], id: 4 })).to.deep.equal([3, 2, 1]);
      expect(await paged([{ key: 'never', direction: 'asc' }, ...down], 'asc')).to.deep.equal([4, 2, 1, 5, 3, 6]);
    });

    it('goes through a long list in the order of values, page by page', async () => {
      const all = Array.from({ length: many }, (_, id) =>
        note(id, { key: 'all', value: 1 }, ...(id % 5 === 0 ? [] : [{ key: 'k', value: (id * 7) % 11 }])),
      );
      await filled(...all);
      const where: readonly Criterion[] = [{ type: 'any-of', key: 'all', values: [1] }];
      for (const direction of ['asc', 'desc'] as const) {
        const order: readonly OrderKey[] = [{ key: 'k', direction }];
        const expected = all
          .map((document) => startKeyOf(document, order))
          .sort((a, b) => compareStartKeys(a, b, { order, direction: 'asc' }));
        const limit = many / 20;
        for (const at of [0, 1, many * 0.4, many * 0.8 - 3, many * 0.8, many - 3]) {
          const after = expected[at - 1];
          const page = await find({ where, order, limit, ...(after === undefined ? {} : { after }) });
          const wanted = expected.map(({ id }) => id).slice(at, at + limit);
          expect(page).to.deep.equal({ ids: wanted, total: many });
          expect((await find({ where, order, limit, offset: at })).ids).to.deep.equal(wanted);
        }
      }
    });

    it('finds, orders, counts and pages like a scan of all documents, whatever was written before', async () => {
      const { run, commit } = await servedRun(opened());
      const state = new Map<number, Note>();
      let n = 1;
      const apply = async (changes: readonly Step[]): Promise<void> => {
        const last = new Map(changes.flatMap((change) => change.ids.map((id) => [id, change.entries] as const)));
        n += 1;
        await commit(n, ...[...last].map(([id, to]) => (to === null ? deleted(id, n) : written(note(id, ...to), n))));
        for (const [id, to] of last) {
          if (to === null) state.delete(id);
          else state.set(id, note(id, ...to));
        }
      };
      const property = fc.asyncProperty(
        steps,
        fc.array(fc.record({ where, order }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.integer({ min: 1, max: 9 }),
        async (batches, queries, direction, limit) => {
          for (const batch of batches) await apply(batch);
          for (const { where: criteria, order: keys } of queries) {
            const query = { where: criteria, direction, order: keys };
            const expected = [...state.values()]
              .filter((document) => criteria.every((one) => matches(document.entries, one)))
              .sort((a, b) => compareStartKeys(startKeyOf(a, keys), startKeyOf(b, keys), query));
            const walked: Note[] = [];
            for (let offset = 0; offset <= expected.length; offset += limit) {
              const page = await opened().models.find(notes, { ...query, limit, offset });
              expect(page.total).to.equal(expected.length);
              const last = walked.at(-1);
              if (last !== undefined) {
                const after = startKeyOf(last, keys);
                expect(await opened().models.find(notes, { ...query, after, limit, offset: 0 })).to.deep.equal(page);
              }
              walked.push(...page.items);
            }
            expect(walked).to.deep.equal(expected);
            const behind = { ...query, limit, offset: 1 };
            const ids = expected.slice(1, 1 + limit).map(({ id }) => id);
            expect(await opened().models.findIds(notes, behind)).to.deep.equal(ids);
          }
          expect(await opened().store.verify(PROJECTION, run, MODELS)).to.deep.equal([]);
        },
      );
      await fc.assert(property, { numRuns: runs });
    });
  });
}
