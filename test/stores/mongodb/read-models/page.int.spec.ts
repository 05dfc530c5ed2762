import { expect } from 'chai';
import { LRUCache } from 'lru-cache';
import { FindCursor } from 'mongodb';
import { type Given, type Query, type ReadModels } from '../../../../src/core/read-models.js';
import { readPage } from '../../../../src/stores/mongodb/read-models/page.js';
import { servedIn } from '../../../../src/stores/mongodb/read-models/state.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { heldUp, place, type Place } from './fixture.js';
import {
  authors,
  deleted,
  note,
  notes,
  servedRun,
  written,
  type Author,
  type Note,
  type Writing,
} from '../../contracts/read-models-fixture.js';

const page = (offset: number): Query => ({
  where: [{ type: 'any-of', key: 'k', values: ['v'] }],
  direction: 'asc',
  limit: 3,
  offset,
});
const NONE = { read: () => Promise.resolve(null), keep: () => undefined };
const found = (id: number): Note => note(id, { key: 'k', value: 'v' });

forEachMongoDb('a page of documents', ({ url }) => {
  let here: Place;
  let writing: Writing;

  beforeEach(async () => {
    here = place(url());
    const opened = { store: await here.worker(), models: await here.reader() };
    writing = await servedRun({ ...opened, tell: () => undefined, close: () => Promise.resolve() });
  });

  afterEach(async () => {
    await here.close();
  });

  it('agrees with a total that was counted at another moment', async () => {
    await writing.commit(1, ...Array.from({ length: 510 }, (_, id) => written(found(id), 1)));
    const state = { ...servedIn(await here.state())!, writing: true };
    const totalAt = async (offset: number, counted: number): Promise<number> => {
      const totals = { get: () => counted, set: () => undefined };
      const look = () => Promise.resolve(state);
      return (await readPage({ db: here.db, given: NONE, look, totals }, state, notes.name, page(offset)))!.total;
    };
    expect(await totalAt(505, 505)).to.equal(508);
    expect(await totalAt(505, 515)).to.equal(515);
    expect(await totalAt(508, 515)).to.equal(510);
    expect(await totalAt(512, 515)).to.equal(512);
  });

  it('is the deep end of a list as it is, although the list had another total before', async () => {
    await writing.commit(1, ...Array.from({ length: 1010 }, (_, id) => written(found(id), 1)));
    const before = servedIn(await here.state())!;
    await writing.commit(2, written(found(1010), 2));
    const after = servedIn(await here.state())!;
    const totals = new LRUCache<string, number>({ max: 10 });
    const source = { db: here.db, given: NONE, look: () => Promise.resolve(before), totals };
    expect(await readPage(source, before, notes.name, page(1006))).to.include({ total: 1011 });
    for (const [name] of totals.entries()) totals.set(name, 1010);
    const again = { ...source, look: () => Promise.resolve(after) };
    const { rows, total } = (await readPage(again, before, notes.name, page(1008)))!;
    expect([rows.length, total]).to.deep.equal([3, 1011]);
  });

  it('is read again by what it is given by then', async () => {
    await writing.commit(1, written(found(1), 1));
    const before = servedIn(await here.state())!;
    await writing.commit(2, written(note(2, { key: 'k', value: 'w' }), 2));
    const after = servedIn(await here.state())!;
    const names = ['v', 'v,w'];
    const read = () => Promise.resolve<Author>({ id: 1, name: names.shift() ?? 'v,w' });
    const kept: unknown[] = [];
    const keep = (...what: readonly unknown[]): void => void kept.push(what[2]);
    const take: Given<Author>['take'] = (author) => {
      const values = author?.name.split(',') ?? [];
      return { where: [{ type: 'any-of', key: 'k', values }], total: values.length };
    };
    const totals = new LRUCache<string, number>({ max: 10 });
    const source = { db: here.db, given: { read, keep }, look: () => Promise.resolve(after), totals };
    const query = { ...page(0), where: [], given: { from: authors, id: 1, take } };
    const { rows, total } = (await readPage(source, before, notes.name, query))!;
    expect([rows.length, total]).to.deep.equal([2, 2]);
    expect(kept).to.deep.equal([{ id: 1, name: 'v,w' }]);
  });

  describe('that is more than a slice', () => {
    /** `meanwhile` is done each time before the ids of the documents behind the slice are asked for. */
    const slicedWhile = async (meanwhile: () => Promise<void>, query: Partial<Query> = {}) => {
      const db = heldUp(here.db, ({ collection, pass }) => {
        const cursor = pass();
        if (collection !== `notes.r${writing.run}` || !(cursor instanceof FindCursor)) return cursor;
        const toArray = cursor.toArray.bind(cursor);
        return Object.assign(cursor, { toArray: () => meanwhile().then(toArray) });
      });
      const models = await here.reader(db);
      const { items, rest, total } = await models.findSlice(notes, { ...page(0), limit: 300, ...query });
      return { ids: [...items.map(({ id }) => id), ...rest], total };
    };
    const numbers = (from: number, to: number, step = 1): readonly number[] =>
      Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + index * step);

    for (const count of [201, 300])
      it(`is of one moment: ${count} documents, of which the first and the last are deleted meanwhile`, async () => {
        await writing.commit(1, ...numbers(1, count).map((id) => written(found(id), 1)));
        const deletions = [() => writing.commit(2, deleted(1, 2), deleted(count, 2))];
        const { ids, total } = await slicedWhile(async () => deletions.shift()?.());
        expect(deletions).to.deep.equal([]);
        expect(ids).to.deep.equal(numbers(2, count - 1));
        expect(total).to.equal(ids.length);
      });

    it('as large as the slices of large documents is of one moment, too', async () => {
      const out = (id: number): Note => note(id, { key: 'k', value: 'w' });
      const large = numbers(100, 102).map((id) => ({ ...out(id), title: 'x'.repeat(300_000) }));
      const small = numbers(2, 21).map(found);
      await writing.commit(1, ...[found(1), out(50), ...small, ...large].map((one) => written(one, 1)));
      const others = await here.reader();
      const readLarge = () =>
        others.findSlice(notes, { ...page(0), where: [{ type: 'any-of', key: 'k', values: ['w'] }] });
      await readLarge();
      let commits = 1;
      // One of the two is in the page at each moment.
      const change = async (): Promise<void> => {
        commits += 1;
        const isFirst = commits % 2 === 1;
        const both = isFirst ? [found(1), out(50)] : [out(1), found(50)];
        await writing.commit(commits, ...both.map((one) => written(one, commits)));
        await readLarge();
      };
      const { ids, total } = await slicedWhile(change);
      expect(commits).to.be.greaterThan(1);
      expect(ids).to.have.length(21);
      expect(ids.filter((id) => id === 1 || id === 50)).to.have.length(1);
      expect(total).to.equal(21);
    });

    it('has each document once while others come to be in front', async () => {
      await writing.commit(1, ...numbers(1, 400).map((id) => written(found(id), 1)));
      let last = 400;
      const insert = async (): Promise<void> => {
        last += 1;
        await writing.commit(last, written(found(last), last));
      };
      const { ids, total } = await slicedWhile(insert, { direction: 'desc' });
      expect(last).to.be.greaterThan(401);
      expect(ids).to.deep.equal(numbers(last - 1, last - 300, -1));
      expect(total).to.be.within(last - 1, last);
    });

    const ordering = (id: number, size = id): Note => note(id, { key: 'k', value: 'v' }, { key: 'size', value: size });
    const order = [{ key: 'size', direction: 'asc' }] as const;

    /** `meanwhile` is done each time `count` documents or more were found, before they are read. */
    const readWhile = async (count: number, meanwhile: () => Promise<void>): Promise<ReadModels> => {
      const db = heldUp(here.db, ({ collection, pass }) => {
        const cursor = pass();
        if (collection !== `notes.r${writing.run}` || !(cursor instanceof FindCursor)) return cursor;
        const toArray = cursor.toArray.bind(cursor);
        const meanwhileThen = async (ids: unknown[]): Promise<unknown[]> => {
          if (ids.length >= count) await meanwhile();
          return ids;
        };
        return Object.assign(cursor, { toArray: () => toArray().then(meanwhileThen) });
      });
      return here.reader(db);
    };

    it('in an order is as long as it was found, although its documents are deleted before they are read', async () => {
      await writing.commit(1, ...numbers(1, 400).map((id) => written(ordering(id), 1)));
      let gone = 0;
      const models = await readWhile(300, async () => {
        if (gone === 5) return;
        gone += 1;
        await writing.commit(1 + gone, deleted(gone, 1 + gone));
      });
      const { items, rest, beforeLast } = await models.findSlice(notes, { ...page(0), limit: 300, order });
      expect(gone).to.equal(5);
      expect([...items.map(({ id }) => id), ...rest]).to.deep.equal(numbers(6, 305));
      expect(beforeLast).to.include({ id: 304 });
    });

    for (const moved of [
      [299, 300, 301, 302],
      [1, 2, 3, 4],
    ])
      it(`in an order is as it was found, although ${moved.join(', ')} are moved before they are read`, async () => {
        await writing.commit(1, ...numbers(1, 400).map((id) => written(ordering(id), 1)));
        const moves = [...moved.entries()];
        const models = await readWhile(300, async () => {
          const [move] = moves.splice(0, 1);
          if (move !== undefined) await writing.commit(2 + move[0], written(ordering(move[1], 1000), 2 + move[0]));
        });
        const { items, rest, beforeLast } = await models.findSlice(notes, { ...page(0), limit: 300, order });
        const left = numbers(1, 304).filter((id) => !moved.includes(id));
        expect([...items.map(({ id }) => id), ...rest]).to.deep.equal(left);
        expect(beforeLast).to.deep.equal(ordering(left.at(-2)!));
      });

    it('at the deep end of a list has no document that no longer belongs there', async () => {
      await writing.commit(1, ...numbers(1, 1020).map((id) => written(found(id), 1)));
      const moved = [...numbers(1004, 1010)];
      let nth = 1;
      const models = await readWhile(3, async () => {
        const id = moved.shift();
        if (id === undefined) return;
        nth += 1;
        await writing.commit(nth, written(note(id, { key: 'k', value: 'w' }), nth));
      });
      const { items } = await models.find(notes, page(1003));
      expect(moved).to.deep.equal([]);
      expect(items.map(({ id }) => id)).to.deep.equal([1011, 1012, 1013]);
    });

    it('lacks no document while others in front are deleted', async () => {
      await writing.commit(1, ...numbers(1, 400).map((id) => written(found(id), 1)));
      let gone = 0;
      const remove = async (): Promise<void> => {
        gone += 1;
        await writing.commit(1 + gone, deleted(gone, 1 + gone));
      };
      const { ids } = await slicedWhile(remove);
      expect(gone).to.be.greaterThan(1);
      expect(ids).to.deep.equal(numbers(gone, gone + 299));
    });
  });
});
