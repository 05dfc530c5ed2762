import { expect } from 'chai';
import { type Change } from '../../../src/core/projection.js';
import { type Criterion, type Given, type Query } from '../../../src/core/read-models.js';
import {
  asking,
  at,
  authors,
  note,
  servedRun,
  written,
  type Author,
  type OpenedReadModels,
  type Sizes,
} from './read-models-fixture.js';

export function itFindsDocuments(opened: () => OpenedReadModels, { many }: Sizes): void {
  const { filled, find, ids } = asking(opened);

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
  });
}
