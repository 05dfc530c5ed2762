import { expect } from 'chai';
import { type ReadModels } from '../../../../src/core/read-models.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import {
  at,
  deleted,
  everything,
  note,
  notes,
  type Note,
  openRun,
  PROJECTION,
  written,
  type Writing,
} from '../../contracts/read-models-fixture.js';
import { place, type Place } from './fixture.js';

forEachMongoDb('slices of documents', ({ url }) => {
  let here: Place;
  let reader: ReadModels;
  let writing: Writing;

  beforeEach(async () => {
    here = place(url());
    const store = await here.worker();
    reader = await here.reader();
    writing = await openRun(store);
    await store.serve(PROJECTION, writing.run);
  });
  afterEach(async () => {
    await here.close();
  });

  const TEN = Array.from({ length: 10 }, (_, id) => id);
  const ofTen = async (size: number, position: number): Promise<void> =>
    writing.commit(position, ...TEN.map((id) => written({ ...note(id), title: 'x'.repeat(size) }, position)));
  const sliced = async (...front: readonly number[]): Promise<readonly number[]> => {
    const ids = [...front, ...TEN.filter((id) => !front.includes(id))];
    const slice = await reader.getSlice<Note>(notes, ids);
    expect([...slice.items.map(({ id }) => id), ...slice.rest]).to.deep.equal(ids);
    return slice.items.map(({ id }) => Number(id));
  };
  const startOfPage = async (offset: number): Promise<readonly number[]> => {
    await reader.refreshState?.();
    const query = { where: [], direction: 'asc', limit: TEN.length, offset } as const;
    const { items, rest, total } = await reader.findSlice<Note>(notes, query);
    expect([...items.map(({ id }) => id), ...rest]).to.deep.equal(TEN.slice(offset));
    expect(total).to.equal(TEN.length);
    return items.map(({ id }) => Number(id));
  };

  for (const { front, slice } of [
    { front: [0, 5], slice: [0, 5] },
    { front: [0, 6], slice: [0] },
    { front: [8, 0], slice: [8] },
    { front: [9, 8, 7], slice: [9, 8] },
  ]) {
    it(`reads no more than some documents of a slice, whichever of them comes first: ${front.join(', ')}`, async () => {
      await ofTen(200_000, 1);
      expect(await sliced(...front)).to.deep.equal(slice);
    });
  }

  it('asks for as many documents as the last slice of large ones had, and for more once they are small', async () => {
    await ofTen(200_000, 1);
    expect(await sliced(0, 5)).to.deep.equal([0, 5]);
    expect(await sliced(0, 6)).to.deep.equal([0, 6]);
    await ofTen(10, 2);
    expect(await sliced()).to.deep.equal([0, 1]);
    expect(await sliced()).to.deep.equal(TEN.slice(0, 8));
    await ofTen(200_000, 3);
    // Of 32.
    expect(await sliced(0, 6)).to.deep.equal([0]);
    expect(await sliced(0, 5)).to.deep.equal([0]);
    // Of four.
    expect(await sliced(0, 5)).to.deep.equal([0, 5]);
  });

  it('asks for as many as a slice may have once all of them are small', async () => {
    await ofTen(200_000, 1);
    await sliced();
    await ofTen(10, 2);
    const many = Array.from({ length: 1000 }, (_, nth) => nth);
    const asked: number[] = [];
    for (let slices = 0; slices < 6; slices += 1) {
      asked.push(many.length - (await reader.getSlice<Note>(notes, many)).rest.length);
    }
    expect(asked).to.deep.equal([2, 8, 32, 128, 200, 200]);
  });

  it('passes over documents that are gone before large ones', async () => {
    await ofTen(200_000, 1);
    await writing.commit(2, deleted(0, 2));
    const first = await reader.getSlice<Note>(notes, [0, 9, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(first).to.deep.include({ items: [], rest: [9, 1, 2, 3, 4, 5, 6, 7, 8] });
    const second = await reader.getSlice<Note>(notes, [9, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(second.items.map(({ id }) => id)).to.deep.equal([9]);
    expect(await reader.getSlice<Note>(notes, [])).to.deep.include({ items: [], rest: [] });
  });

  it('leaves the rest of a sorted page in its order', async () => {
    await ofTen(200_000, 1);
    await sliced();
    await ofTen(10, 2);
    await sliced();
    await ofTen(200_000, 3);
    await reader.caughtUp(PROJECTION, at(3));
    const order = [{ key: 'rank', direction: 'asc' as const }];
    // Of eight that were asked for.
    const { items, rest } = await reader.findSlice(notes, { ...everything, order });
    expect(items.map(({ id }) => id)).to.deep.equal([0, 1]);
    expect(rest).to.deep.equal(TEN.slice(2));
  });

  it('asks for as many documents at the start of a page as the last slice of large ones had', async () => {
    await ofTen(200_000, 1);
    expect(await startOfPage(0)).to.deep.equal([0, 1]);
    await ofTen(10, 2);
    expect(await startOfPage(3)).to.deep.equal([3, 4]);
    expect(await startOfPage(0)).to.deep.equal(TEN.slice(0, 8));
    expect(await startOfPage(1)).to.deep.equal(TEN.slice(1));
  });
});
