import { expect } from 'chai';
import fc from 'fast-check';
import { type Change } from '../../../src/core/projection.js';
import {
  type Criterion,
  type Document,
  type Given,
  type IndexEntry,
  type Query,
} from '../../../src/core/read-models.js';
import {
  at,
  authors,
  deleted,
  everything,
  matches,
  MODELS,
  note,
  notes,
  PROJECTION,
  servedRun,
  written,
  type Author,
  type Note,
  type OpenedReadModels,
  type Sizes,
} from './read-models-fixture.js';

const key = fc.constantFrom('status', 'size', 'title');
const number = fc.oneof(fc.integer({ min: -3, max: 6 }), fc.constantFrom(0.1, 1e21, 2 ** 53, -1.5));
const value = fc.oneof(number, fc.constantFrom('5', '', 'a', 'A', 'é', '%', 'o1'));
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
const criterion: fc.Arbitrary<Criterion> = fc.oneof(
  fc.record({
    type: fc.constant('any-of' as const),
    key: fc.oneof({ weight: 9, arbitrary: key }, { weight: 1, arbitrary: fc.constant('unknown') }),
    values: fc.array(value, { maxLength: 4 }),
  }),
  fc
    .record({ key, above: bound, from: bound, to: bound, below: bound })
    .map((range) => JSON.parse(JSON.stringify({ type: 'range', ...range })) as Criterion),
  fc.record({ type: fc.constant('contains'), key, text: fc.oneof(text, fc.constantFrom('a', 'é', '')) }),
);
const where = fc.array(criterion, { maxLength: 3 });

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

export function itFindsDocuments(opened: () => OpenedReadModels, { many, runs }: Sizes): void {
  const filled = async (...documents: readonly Note[]): Promise<void> => {
    const { commit } = await servedRun(opened());
    await commit(1, ...documents.map((document) => written(document, 1)));
  };
  const find = async (query: Partial<Query>): Promise<{ ids: readonly Document['id'][]; total: number }> => {
    const { items, total } = await opened().models.find(notes, { ...everything, ...query });
    return { ids: items.map(({ id }) => id), total };
  };
  const ids = async (...criteria: readonly Criterion[]): Promise<readonly Document['id'][]> => {
    const found = await find({ where: criteria });
    expect(found.total).to.equal(found.ids.length);
    return found.ids;
  };

  describe('finding', () => {
    it('meets a document once, on every page, however many of its values match', async () => {
      const several = [
        { key: 'size', value: 1 },
        { key: 'size', value: 2 },
        { key: 'size', value: 3 },
      ];
      const documents = Array.from({ length: 9 }, (_, index) =>
        note(index + 1, ...several, { key: 'status', value: 'a' }),
      );
      await filled(...documents);
      const where: readonly Criterion[] = [
        { type: 'any-of', key: 'status', values: ['a'] },
        { type: 'any-of', key: 'size', values: [1, 2, 3] },
      ];
      expect(await find({ where, offset: 4, limit: 3 })).to.deep.equal({ ids: [5, 6, 7], total: 9 });
    });

    it('without a criterion gives all documents, by number, in both directions', async () => {
      await filled(note(10), note(9), note(1));
      expect(await find({})).to.deep.equal({ ids: [1, 9, 10], total: 3 });
      expect(await find({ direction: 'desc' })).to.deep.equal({ ids: [10, 9, 1], total: 3 });
    });

    it('orders documents with texts as ids by their text', async () => {
      await filled(note('b'), note('a10'), note('a9'));
      expect((await find({})).ids).to.deep.equal(['a10', 'a9', 'b']);
    });

    it('gives a page and the total of all that match', async () => {
      await filled(...Array.from({ length: 7 }, (_, id) => note(id, { key: 'k', value: 'v' })));
      const criteria = [{ type: 'any-of', key: 'k', values: ['v', 'w'] }] as const;
      expect(await find({ limit: 3, offset: 2, where: criteria })).to.deep.equal({ ids: [2, 3, 4], total: 7 });
      expect(await find({ limit: 3, offset: 6, where: criteria })).to.deep.equal({ ids: [6], total: 7 });
      expect(await find({ limit: 3, offset: 9, where: criteria })).to.deep.equal({ ids: [], total: 7 });
      expect(await find({ limit: 0, where: criteria })).to.deep.equal({ ids: [], total: 7 });
    });

    it('takes values under one key as alternatives, and counts each document once', async () => {
      await filled(note(1, { key: 'k', value: 'a' }, { key: 'k', value: 'b' }, { key: 'k', value: 'a' }));
      expect(await ids({ type: 'any-of', key: 'k', values: ['a', 'b', 'a'] })).to.deep.equal([1]);
      expect(await ids({ type: 'any-of', key: 'k', values: ['a'] })).to.deep.equal([1]);
    });

    it('counts a document once also where many values are asked for', async () => {
      await filled(note(1, { key: 'k', value: 1 }, { key: 'k', value: 2 }), note(2, { key: 'k', value: 2 }));
      const values = Array.from({ length: 500 }, (_, value) => value);
      expect(await ids({ type: 'any-of', key: 'k', values })).to.deep.equal([1, 2]);
    });

    it('gives the same pages from both ends of a long list', async () => {
      const all = Array.from({ length: many }, (_, id) => id);
      const half = many / 2;
      await filled(...all.map((id) => note(id, { key: 'k', value: 'v' })));
      const criteria = [{ type: 'any-of', key: 'k', values: ['v'] }] as const;
      for (const offset of [0, 990, 1000, half - 1, half, half + 1, many - 500, many - 7, many - 1, many, many + 500]) {
        const page = await find({ limit: 7, offset, where: criteria });
        expect(page).to.deep.equal({ ids: all.slice(offset, offset + 7), total: many });
        const back = await find({ limit: 7, offset, where: criteria, direction: 'desc' });
        expect(back).to.deep.equal({ ids: all.toReversed().slice(offset, offset + 7), total: many });
      }
    });

    it('tells numbers from texts', async () => {
      await filled(note(1, { key: 'k', value: 5 }), note(2, { key: 'k', value: '5' }));
      expect(await ids({ type: 'any-of', key: 'k', values: [5] })).to.deep.equal([1]);
      expect(await ids({ type: 'any-of', key: 'k', values: ['5'] })).to.deep.equal([2]);
      expect(await ids({ type: 'range', key: 'k', from: 0 })).to.deep.equal([1]);
      expect(await ids({ type: 'range', key: 'k' })).to.deep.equal([1]);
    });

    it('matches nothing where no value is asked for', async () => {
      await filled(note(1, { key: 'k', value: 5 }), note(2));
      expect(await ids({ type: 'any-of', key: 'k', values: [] })).to.deep.equal([]);
    });

    it('takes criteria and the total from the document that it is given, as it is by then', async () => {
      const { commit } = await servedRun(opened());
      const asked = async (query: Partial<Query> = {}) => {
        const given: Given<Author> = {
          from: authors,
          id: 7,
          take: (author) => ({
            where: [{ type: 'any-of', key: 'k', values: [author?.name ?? 'nobody'] }],
            total: author?.name.length,
          }),
        };
        return find({ where: [{ type: 'range', key: 'n', from: 1 }], given, ...query });
      };
      const named = (name: string, n: number): Change => {
        const document: Author = { id: 7, name };
        return { model: authors, id: 7, document, position: at(n) };
      };
      const all = ['ann', 'ann', 'ann', 'anna'].map((name, n) =>
        note(n, { key: 'k', value: name }, { key: 'n', value: n }),
      );
      await commit(1, ...all.map((document) => written(document, 1)));
      expect(await asked()).to.deep.equal({ ids: [], total: 0 });
      await commit(2, named('ann', 2));
      // Nobody counts: it says 3.
      expect(await asked({ limit: 1 })).to.deep.equal({ ids: [1], total: 3 });
      expect(await asked({ limit: 0 })).to.deep.equal({ ids: [], total: 3 });
      expect(await asked()).to.deep.equal({ ids: [1, 2], total: 2 });
      await commit(3, named('anna', 3));
      expect(await asked({ limit: 1 })).to.deep.equal({ ids: [3], total: 4 });
      const { ids: found } = await asked();
      expect(found).to.deep.equal([3]);
    });

    it('takes bounds of ranges as open or closed, all by one value', async () => {
      await filled(...[1, 2, 3].map((value) => note(value, { key: 'k', value })));
      expect(await ids({ type: 'range', key: 'k', above: 1 })).to.deep.equal([2, 3]);
      expect(await ids({ type: 'range', key: 'k', from: 2 })).to.deep.equal([2, 3]);
      expect(await ids({ type: 'range', key: 'k', to: 2 })).to.deep.equal([1, 2]);
      expect(await ids({ type: 'range', key: 'k', above: 1, below: 3 })).to.deep.equal([2]);
    });

    it('finds substrings whatever their case and composition, and knows no wildcards', async () => {
      await filled(
        note(1, { key: 't', text: '100% sûr' }),
        note(2, { key: 't', text: '1000 SU\u0302R' }),
        note(3, { key: 'u', text: 'sûr' }),
      );
      expect(await ids({ type: 'contains', key: 't', text: 'SÛR' })).to.deep.equal([1, 2]);
      expect(await ids({ type: 'contains', key: 't', text: '100%' })).to.deep.equal([1]);
      expect(await ids({ type: 'contains', key: 't', text: '1_0' })).to.deep.equal([]);
    });

    it('takes long lists of values', async () => {
      await filled(
        note(1, { key: 'k', value: 77 }),
        note(2, { key: 'k', value: 0.1 }),
        note(3, { key: 'k', value: 'x' }),
      );
      const values = Array.from({ length: 5000 }, (_, n) => n * 7);
      expect(await ids({ type: 'any-of', key: 'k', values })).to.deep.equal([1]);
      expect(await ids({ type: 'any-of', key: 'k', values: [...values, 0.1, 'x'] })).to.deep.equal([1, 2, 3]);
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
        fc.array(where, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.integer({ min: 1, max: 9 }),
        async (batches, queries, direction, limit) => {
          for (const batch of batches) await apply(batch);
          for (const criteria of queries) {
            const expected = [...state.values()]
              .filter((document) => criteria.every((one) => matches(document.entries, one)))
              .sort((a, b) => (Number(a.id) - Number(b.id)) * (direction === 'asc' ? 1 : -1));
            const walked: Note[] = [];
            for (let offset = 0; offset <= expected.length; offset += limit) {
              const page = await opened().models.find(notes, { where: criteria, direction, limit, offset });
              expect(page.total).to.equal(expected.length);
              walked.push(...page.items);
            }
            expect(walked).to.deep.equal(expected);
            const behind = { where: criteria, direction, limit, offset: 1 };
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
