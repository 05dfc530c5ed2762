import { expect } from 'chai';
import { MongoServerError } from 'mongodb';
import { type Change, type ReadModelStore } from '../../../../src/core/projection.js';
import { UnwritableDocument } from '../../../../src/core/unwritable-document.js';
import { documentsOf } from '../../../../src/stores/mongodb/read-models/documents.js';
import { isForSize } from '../../../../src/stores/mongodb/read-models/write.js';
import { forEachMongoDb } from '../../../support/mongodb/for-each-mongodb.js';
import { failureOf, heldUp, place, type Place } from './fixture.js';
import { at, note, notes, openRun, PROJECTION, reached, written } from '../../contracts/read-models-fixture.js';

const MEBIBYTE = 1024 * 1024;

const sized = (id: number, bytes: number, n: number): Change => written({ ...note(id), title: 'x'.repeat(bytes) }, n);

forEachMongoDb('a document of a read model', ({ url }) => {
  let here: Place;
  let store: ReadModelStore;

  beforeEach(async () => {
    here = place(url());
    store = await here.worker();
  });

  afterEach(async () => {
    await here.close();
  });

  const served = async (): Promise<number> => {
    const { run } = await openRun(store);
    await store.serve(PROJECTION, run);
    return run;
  };
  const commit = (run: number, n: number, ...changes: readonly Change[]): Promise<void> =>
    store.commit(PROJECTION, run, changes, reached(n));
  const ids = async (run: number): Promise<readonly string[]> => {
    const rows = await documentsOf(here.db, notes.name, run)
      .find({}, { projection: { _id: 1 } })
      .toArray();
    return rows.map(({ _id }) => _id);
  };

  it('of more than 16 MiB is refused by its name before the commit is announced', async () => {
    const run = await served();
    await commit(run, 1, sized(1, 10, 1));
    const before = await here.state();
    for (const large of [sized(1, 17 * MEBIBYTE, 2), sized(2, 17 * MEBIBYTE, 2), sized(2, 16 * MEBIBYTE - 9000, 2)]) {
      const failure = await failureOf(commit(run, 2, sized(3, 10, 2), large));
      expect(failure).to.be.instanceOf(UnwritableDocument).and.include({ model: notes.name, id: large.id });
    }
    expect(await here.state()).to.deep.equal(before);
    expect(await ids(run)).to.have.length(1);
  });

  it('of nearly 16 MiB replaces another one', async () => {
    const run = await served();
    await commit(run, 1, sized(1, 10, 1));
    await commit(run, 2, sized(1, 16 * MEBIBYTE - 17 * 1024, 2));
    expect((await store.load(run, notes, [1])).get(1)?.position).to.equal(at(2));
  });

  it('of more than 16 MiB as BSON is JSON if that has room', async () => {
    const run = await served();
    const counted = (id: number, n: number) => ({ ...note(id), numbers: Array.from({ length: n }, () => 1) });
    const [large, small, other] = [counted(1, 1_500_000), counted(1, 3), counted(2, 1_500_000)];
    await commit(run, 1, written(large, 1));
    expect((await store.load(run, notes, [1])).get(1)?.document).to.deep.equal(large);
    await commit(run, 2, written(small, 2), written(other, 2));
    expect((await store.load(run, notes, [1])).get(1)?.document).to.deep.equal(small);
    expect((await store.load(run, notes, [2])).get(2)?.document).to.deep.equal(other);
  });

  it('that the server has no room for is refused by its name, and others with another word are not', async () => {
    const run = await served();
    const refusing = async (code: number): Promise<unknown> => {
      const db = heldUp(here.db, ({ method, collection, pass }) => {
        if (method !== 'insertMany' || !collection.startsWith(`${notes.name}.`)) return pass();
        return Promise.reject(new MongoServerError({ message: 'refused', code }));
      });
      store = await here.worker(db);
      await store.checkpoint(PROJECTION, run);
      return failureOf(commit(run, 2, sized(1, 10, 2), sized(2, 3000, 2), sized(3, 20, 2)));
    };
    expect(await refusing(10_334))
      .to.be.instanceOf(UnwritableDocument)
      .and.include({ model: notes.name, id: 2 });
    expect(await refusing(8000)).to.be.instanceOf(MongoServerError);
  });

  it('that the driver or the server refuses for its size is told apart from other failures', async () => {
    const collection = here.db.collection<{ readonly _id: string; readonly text: string }>('large');
    const document = { _id: 'a', text: 'x'.repeat(17 * MEBIBYTE) };
    expect(isForSize(await failureOf(collection.insertOne(document)))).to.equal(true);
    const bulk = collection.bulkWrite([{ insertOne: { document } }], { ordered: false });
    expect(isForSize(await failureOf(bulk))).to.equal(true);
    expect(
      isForSize(
        await failureOf(
          collection.insertMany([
            { _id: 'b', text: '' },
            { _id: 'b', text: '' },
          ]),
        ),
      ),
    ).to.equal(false);
  });
});
