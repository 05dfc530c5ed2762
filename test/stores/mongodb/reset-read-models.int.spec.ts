import { expect } from 'chai';
import { type Lease } from '../../../src/core/lease.js';
import { resetMongoReadModels } from '../../../src/stores/mongodb/reset-read-models.js';
import { projectionLeases } from '../../../src/stores/mongodb/leases.js';
import { ensureProjection, projectionDocuments } from '../../../src/stores/mongodb/projection-documents.js';
import { projectionIds } from '../../../src/stores/mongodb/projection-ids.js';
import { mongoReadModelStore } from '../../../src/stores/mongodb/read-models/writer.js';
import { mongoReadModels, type MongoReadModels } from '../../../src/stores/mongodb/read-models/reader.js';
import { mongoDatabase, type MongoDatabase } from '../../../src/stores/mongodb/connection.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { rejection } from '../contracts/event-log-fixture.js';
import { note, notes, openRun, PROJECTION, written } from '../contracts/read-models-fixture.js';
import { ID, IDS } from './read-models/fixture.js';

forEachMongoDb('forgetting read models', ({ url }) => {
  let fresh: FreshDatabase;
  let database: MongoDatabase;
  beforeEach(() => {
    fresh = freshDatabase(url());
    database = mongoDatabase(fresh.url);
  });
  afterEach(async () => {
    await database.close();
    await fresh.drop();
  });

  const acquired = (): Promise<Lease> => projectionLeases(database.db).acquire(ID, new AbortController().signal);
  /** As a worker does that has the lease: one document, up to position 9. */
  const work = async ({ token }: Lease, id: number): Promise<number> => {
    const store = mongoReadModelStore({ db: database.db, ids: IDS, tokenOf: () => token });
    const { run, commit } = await openRun(store);
    await commit(9, written(note(id), 9));
    await store.serve(PROJECTION, run);
    return run;
  };
  const reading = async <T>(read: (models: MongoReadModels) => Promise<T>): Promise<T> => {
    const models = await mongoReadModels({ db: database.db, ids: IDS });
    try {
      return await read(models);
    } finally {
      await models.close();
    }
  };
  const ids = () => reading(async (models) => (await models.getMany(notes, [1, 2])).map(({ id }) => id));
  const collections = async (): Promise<readonly string[]> =>
    (await database.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

  it('hides them from readers, and from workers that would go on from them', async () => {
    const lease = await acquired();
    await work(lease, 1);
    await lease.release();
    expect(await ids()).to.deep.equal([1]);
    await resetMongoReadModels(database.db);

    expect(await rejection(ids())).to.have.property('message', 'the read model notes has not been filled yet');
    const store = mongoReadModelStore({ db: database.db, ids: IDS, tokenOf: () => 0 });
    expect(await store.serving(PROJECTION)).to.equal(null);
  });

  it('is of those of other releases, too', async () => {
    const documents = projectionDocuments(database.db);
    await ensureProjection(documents, 'notes-v7');
    await documents.updateOne({ _id: 'notes-v7' }, { $set: { serving: 3, status: '{}' } });
    await resetMongoReadModels(database.db);
    expect(await documents.findOne({ _id: 'notes-v7' })).to.include({ serving: null, status: null });
  });

  it('leaves nothing of them once they have been filled again', async () => {
    const before = await acquired();
    const old = await work(before, 1);
    await before.release();
    await resetMongoReadModels(database.db);
    const after = await acquired();
    const run = await work(after, 2);
    await after.release();

    expect(run).to.be.above(old);
    expect(await ids()).to.deep.equal([2]);
    expect(await collections())
      .to.include(`notes.r${run}`)
      .and.not.include(`notes.r${old}`);
  });

  it('leaves nothing of a version that is never filled again', async () => {
    const lease = await acquired();
    const run = await work(lease, 1);
    await lease.release();
    await resetMongoReadModels(database.db);
    const documents = projectionDocuments(database.db);
    for (const version of [2, 3]) {
      const later = projectionIds([{ name: PROJECTION, version }], 0);
      const held = (await projectionLeases(database.db).acquireIfFree(later.idOf(PROJECTION)))!;
      const store = mongoReadModelStore({ db: database.db, ids: later, tokenOf: () => held.token });
      const filled = await openRun(store, version);
      await filled.commit(9, written(note(2), 9));
      await store.serve(PROJECTION, filled.run);
      await held.release();
    }
    expect(await documents.findOne({ _id: ID })).to.equal(null);
    expect(await collections()).not.to.include(`notes.r${run}`);
  });

  it('stops the writes of the worker that had a projection before', async () => {
    const lease = await acquired();
    await lease.release();
    await resetMongoReadModels(database.db);
    expect(await rejection(work(lease, 1))).to.be.an('error');
  });

  it('is refused while a worker has one', async () => {
    const lease = await acquired();
    await work(lease, 1);
    const refused = await rejection(resetMongoReadModels(database.db, 200));
    expect(refused)
      .to.have.property('message')
      .that.matches(/^The read models of notes-v1 .* keeps them up to date$/);
    expect(await ids()).to.deep.equal([1]);
    await lease.release();
    await resetMongoReadModels(database.db);
    expect(await rejection(ids())).to.have.property('message', 'the read model notes has not been filled yet');
  });

  it('leaves them to a worker that has taken over meanwhile', async () => {
    const lease = await acquired();
    await work(lease, 1);
    await lease.release();
    const documents = projectionDocuments(database.db);
    const slow = mongoDatabase(fresh.url);
    const collection = slow.db.collection.bind(slow.db);
    /** As after a pause of this process, in which its lease has run out. */
    const behind = (name: string): unknown => {
      const made = collection(name);
      const update = made.updateOne.bind(made);
      const updateOne = async (...given: Parameters<typeof update>): Promise<unknown> => {
        await documents.updateOne({ _id: ID }, { $inc: { token: 1 } });
        return update(...given);
      };
      return Object.assign(made, { updateOne });
    };
    Object.assign(slow.db, { collection: behind });
    const refused = await rejection(resetMongoReadModels(slow.db));
    await slow.close();
    expect(refused).to.have.property('message', `Another process has taken over ${ID}`);
    expect(await ids()).to.deep.equal([1]);
  });

  it('has nothing to do where there are none', async () => {
    await resetMongoReadModels(database.db);
    expect(await collections()).to.deep.equal([]);
  });
});
