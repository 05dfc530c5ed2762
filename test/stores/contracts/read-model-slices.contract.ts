import { expect } from 'chai';
import { slicesOf, type Document, type PageSlice, type Query } from '../../../src/core/read-models.js';
import {
  deleted,
  everything,
  expectNotServed,
  note,
  notes,
  servedRun,
  written,
  type Note,
  type OpenedReadModels,
} from './read-models-fixture.js';

/** What a slice holds at most, beside its last document: in characters of JSON. */
const MOST_SIZE = 256 * 1024;
const MOST_ROWS = 200;

const large = (id: Document['id']): Note => ({
  ...note(
    id,
    { key: 'status', value: 'a' },
    { key: 'status', value: 'large' },
    { key: 'size', value: id === 'text' ? 1 : Number(id) % 2 },
  ),
  title: 'x'.repeat(MOST_SIZE / 3),
});
const small = (id: Document['id']): Note => note(id, { key: 'status', value: 'a' }, { key: 'size', value: 0 });
const idsOf = (documents: readonly Document[]): readonly Document['id'][] => documents.map(({ id }) => id);
const sizeOf = (documents: readonly Document[]): number => JSON.stringify(documents).length;

export function itReadsInSlices(opened: () => OpenedReadModels): void {
  const filled = async (documents: readonly Note[]) => {
    const writing = await servedRun(opened());
    await writing.commit(1, ...documents.map((document) => written(document, 1)));
    return writing;
  };
  const slice = (query: Partial<Query>): Promise<PageSlice<Note>> =>
    opened().models.findSlice(notes, { ...everything, ...query });
  const numbers = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  describe('slices', () => {
    it('of a page are its first documents and the ids of the others, whichever end it is read from', async () => {
      await filled([...numbers(1, 12).map(large), ...numbers(13, 1100).map(small)]);
      const queries: readonly Partial<Query>[] = [
        {},
        { direction: 'desc' },
        { limit: 7, offset: 2 },
        { direction: 'desc', limit: 10, offset: 1085 },
        { offset: 1080, limit: 15 },
        { limit: 0 },
        { offset: 5000 },
        { where: [{ type: 'any-of', key: 'status', values: ['a'] }], direction: 'desc', offset: 1085, limit: 12 },
        { where: [{ type: 'any-of', key: 'size', values: [1] }] },
        {
          where: [
            { type: 'any-of', key: 'status', values: ['a'] },
            { type: 'any-of', key: 'size', values: [0] },
          ],
          limit: 30,
        },
      ];
      for (const query of queries) {
        const page = await opened().models.find(notes, { ...everything, ...query });
        const { items, rest, total } = await slice(query);
        expect([...idsOf(items), ...rest], JSON.stringify(query)).to.deep.equal(idsOf(page.items));
        expect(items).to.deep.equal(page.items.slice(0, items.length));
        expect(total).to.equal(page.total);
        expect(await opened().models.findIds(notes, { ...everything, ...query })).to.deep.equal(idsOf(page.items));
        expect(items.length).to.be.at.most(MOST_ROWS);
        expect(sizeOf(items.slice(0, -1))).to.be.below(MOST_SIZE);
      }
      const even: Partial<Query> = {
        where: [
          { type: 'any-of', key: 'status', values: ['a'] },
          { type: 'any-of', key: 'size', values: [0] },
        ],
        direction: 'desc',
        offset: 1085,
      };
      const { items, rest, total } = await slice(even);
      expect([...idsOf(items), ...rest]).to.deep.equal([15, 14, 13, 12, 10, 8, 6, 4, 2]);
      expect(total).to.equal(1094);
      // Some have both values, and are counted once.
      const either: Partial<Query> = { where: [{ type: 'any-of', key: 'status', values: ['a', 'large'] }] };
      expect((await slice({ ...either, offset: 1105 })).items).to.deep.equal([]);
      expect(idsOf((await slice({})).items)).to.deep.equal([1, 2, 3]);
      expect((await slice({ limit: 3 })).rest).to.deep.equal([]);
    });

    it('of a page in an order have its last document but one with them, whether or not it is among them', async () => {
      await filled([...numbers(1, 12).map(large), ...numbers(13, 40).map(small)]);
      const order = [{ key: 'size', direction: 'desc' }] as const;
      for (const query of [{ limit: 1 }, { limit: 2 }, { limit: 9 }, { limit: 20 }, { limit: 2, offset: 37 }, {}]) {
        const page = await opened().models.find(notes, { ...everything, order, ...query });
        const { beforeLast } = await slice({ order, ...query });
        expect(beforeLast, JSON.stringify(query)).to.deep.equal(page.items.at(-2));
      }
    });

    it('of some ids have those that exist, in the order of the ids', async () => {
      const { commit } = await filled([...numbers(1, 9).map(large), ...numbers(10, 300).map(small), large('text')]);
      await commit(2, deleted(5, 2), deleted(40, 2));
      const { models } = opened();
      const asked = [9, 'text', 1000, 2, 5, 8, 1, ...numbers(10, 300)];
      const slices: (readonly Note[])[] = [];
      for await (const documents of slicesOf(models, notes, asked)) slices.push(documents);
      const gone: readonly Document['id'][] = [1000, 5, 40];
      expect(slices.flatMap(idsOf)).to.deep.equal(asked.filter((id) => !gone.includes(id)));
      for (const documents of slices) {
        expect(documents.length).to.be.at.most(MOST_ROWS);
        expect(sizeOf(documents.slice(0, -1))).to.be.below(MOST_SIZE);
      }
      expect(slices[0]).to.deep.equal([large(9), large('text'), large(2)]);
      expect(await models.getSlice(notes, [])).to.deep.equal({ items: [], rest: [] });
    });

    it('find a document whose id holds half a character', async () => {
      const odd = small('a\ud800');
      await filled([odd]);
      const { items } = await opened().models.getSlice(notes, [odd.id]);
      expect(idsOf(items)).to.deep.equal([odd.id]);
    });

    it('of large documents lack none of them, however far apart the ids lie that follow each other', async () => {
      await filled(numbers(1, 40).map(large));
      const inwards = numbers(1, 20).flatMap((n) => [n, 41 - n]);
      const lastFirst = [20, ...numbers(1, 19), 21];
      for (const asked of [inwards, inwards.toReversed(), lastFirst, [2, ...numbers(3, 20).toReversed(), 1]]) {
        const { items, rest } = await opened().models.getSlice(notes, asked);
        expect(items.length).to.be.within(1, 3);
        expect([...idsOf(items), ...rest]).to.deep.equal(asked);
      }
      for (const asked of [numbers(1, 40), numbers(1, 40).toReversed()]) {
        const { items, rest } = await opened().models.getSlice(notes, asked);
        expect([idsOf(items), rest]).to.deep.equal([asked.slice(0, 3), asked.slice(3)]);
      }
    });

    it('may be of one document, however large', async () => {
      await filled([small(1), { ...small(2), title: 'x'.repeat(5 * MOST_SIZE) }, small(3)]);
      const { items, rest } = await opened().models.getSlice(notes, [2, 1, 3]);
      expect([idsOf(items), rest]).to.deep.equal([[2], [1, 3]]);
      const page = await slice({ offset: 1 });
      expect([idsOf(page.items), page.rest]).to.deep.equal([[2], [3]]);
    });

    it('are read when they are asked for', async () => {
      const { commit } = await filled(numbers(1, 9).map(large));
      const { items, rest } = await slice({});
      await commit(2, deleted(rest[0]!, 2), written({ ...large(rest[1]!), title: 'changed' }, 2));
      const [next] = (await opened().models.getSlice(notes, rest)).items;
      expect(idsOf(items)).to.deep.equal([1, 2, 3]);
      expect(next).to.include({ id: rest[1], title: 'changed' });
    });

    it('are unavailable before a run is served', async () => {
      await expectNotServed(opened().models.getSlice(notes, [1]));
      await expectNotServed(slice({}));
      await expectNotServed(opened().models.findIds(notes, everything));
    });
  });
}
