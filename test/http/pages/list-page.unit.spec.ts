import { expect } from 'chai';
import fc from 'fast-check';
import { listPage, pageById } from '../../../src/http/pages/list-page.js';
import { type StartKey } from '../../../src/core/read-models.js';

const FIRST: StartKey = { id: -1, values: [] };

const sets = fc.uniqueArray(fc.nat(30), { maxLength: 12 }).map((ids) => ids.toSorted((a, b) => a - b));

type Walked = Promise<{ readonly items: readonly number[]; readonly last: StartKey | null }>;

/** All that a walk gives of a list that is another one for each page, and what stayed in it. */
async function walked(
  lists: readonly (readonly number[])[],
  pageOf: (list: readonly number[], after: StartKey | undefined) => Walked,
) {
  const found: number[] = [];
  let after: StartKey | undefined;
  for (let n = 0; ; n += 1) {
    const page = await pageOf(lists[Math.min(n, lists.length - 1)]!, after);
    found.push(...page.items);
    if (page.last === null) return found;
    after = page.last;
  }
}

describe('pages of a list', () => {
  const lists = fc.array(sets, { minLength: 1, maxLength: 6 });
  const found = (
    list: readonly number[],
    { limit, offset, after }: { limit: number; offset: number; after?: StartKey },
  ) => {
    const behind = list.filter((id) => after === undefined || id > Number(after.id));
    return Promise.resolve({ items: behind.slice(offset, offset + limit).map((id) => ({ id })), total: list.length });
  };

  for (const [name, pageOf] of [
    [
      'that is held whole',
      (list, limit, after) => Promise.resolve(listPage(list, { limit, offset: 0, after }, (id) => id)),
    ],
    [
      'of documents',
      async (list, limit, after) => {
        const page = await pageById((asked) => found(list, asked), { limit, offset: 7, after: after ?? FIRST });
        return { ...page, items: page.items.map(({ id }) => id) };
      },
    ],
  ] as readonly [string, (list: readonly number[], limit: number, after?: StartKey) => Walked][]) {
    it(`${name} give what stays in it exactly once, and nothing twice`, async () => {
      await fc.assert(
        fc.asyncProperty(lists, sets, fc.integer({ min: 1, max: 4 }), async (changing, staying, limit) => {
          const all = changing.map((list) => [...new Set([...list, ...staying])].toSorted((a, b) => a - b));
          const ids = await walked(all, (list, after) => pageOf(list, limit, after));
          expect(ids).to.include.members([...staying]);
          expect(new Set(ids).size).to.equal(ids.length);
        }),
      );
    });

    it(`${name} end with the last item, also where it fills its page`, async () => {
      expect((await pageOf([1, 2, 3, 4, 5], 2)).last).to.deep.equal({ id: 2, values: [] });
      const last = await pageOf([1, 2, 3, 4], 2, { id: 2, values: [] });
      expect([last.items, last.last]).to.deep.equal([[3, 4], null]);
      expect(await pageOf([1, 2], 2, { id: 2, values: [] })).to.include({ last: null });
    });
  }
});
