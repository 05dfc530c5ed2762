import { expect } from 'chai';
import { type ReadModels } from '../../../../src/core/read-models.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import {
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
    const slice = await reader.getSlice<Note>(notes, [...front, ...TEN.filter((id) => !front.includes(id))]);
    expect([...slice.items.map(({ id }) => id), ...slice.rest].sort()).to.deep.equal(TEN);
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
    expect(await sliced()).to.deep.equal(TEN);
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
