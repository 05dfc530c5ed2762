import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Problem } from '../../../src/core/problem.js';
import { mongoDatabase, unavailable, writeDeadline } from '../../../src/stores/mongodb/connection.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { gateTo } from '../../support/mongodb/gate.js';
import { withOptions } from '../../support/mongodb/options.js';
import { rejection } from '../contracts/event-log-fixture.js';

if (process.env['MONGODB_TEST_URL'] === undefined) {
  console.log('MONGODB_TEST_URL is not set: what MongoDB has to do is not tested on a server of your own');
}

describe('the client of a MongoDB', () => {
  const settingsOf = (url: string) => {
    const { db, client } = mongoDatabase(url);
    const { w, journal } = client.options.writeConcern;
    const { socketTimeoutMS, serverSelectionTimeoutMS, readPreference } = client.options;
    const timing = { socketTimeoutMS, serverSelectionTimeoutMS };
    return { database: db.databaseName, writes: { w, journal }, readPreference: readPreference.mode, timing };
  };

  it('waits for the disks of a majority, reads from the primary, and does not wait for ever', () => {
    expect(settingsOf('mongodb://one.test')).to.deep.equal({
      database: 'tracker_ledger',
      writes: { w: 'majority', journal: true },
      readPreference: 'primary',
      timing: { socketTimeoutMS: 10_000, serverSelectionTimeoutMS: 2000 },
    });
  });

  it('does as its URL says', () => {
    const query = 'w=2&journal=false&serverSelectionTimeoutMS=7&sockettimeoutms=8&readPreference=secondary';
    expect(settingsOf(`mongodb://a.test:1,b.test:2/its%20own?${query}`)).to.deep.equal({
      database: 'its own',
      writes: { w: 2, journal: false },
      readPreference: 'primary',
      timing: { socketTimeoutMS: 8, serverSelectionTimeoutMS: 7 },
    });
  });

  it('takes each half of the write concern by itself', () => {
    expect(settingsOf('mongodb://a.test/?w=1').writes).to.deep.equal({ w: 1, journal: true });
    expect(settingsOf('mongodb://a.test/x?journal=false').writes).to.deep.equal({
      w: 'majority',
      journal: false,
    });
  });

  it('answers with Retry-After if no server listens', async () => {
    const { db, close } = mongoDatabase('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100');
    const error = unavailable(await rejection(db.collection('any').findOne()), 'Nobody is there');
    expect(error).to.be.instanceOf(Problem).and.include({ kind: 'unavailable', retryAfter: 5 });
    expect(error.message).to.equal('Nobody is there');
    await close();
  });

  it('leaves other errors alone', () => {
    const error = new TypeError('a defect');
    expect(unavailable(error)).to.equal(error);
  });

  forEachMongoDb('the client of a MongoDB', (server) => {
    let fresh: FreshDatabase;
    beforeEach(() => {
      fresh = freshDatabase(server.url());
    });
    afterEach(() => fresh.drop());

    it('keeps what it is told in the database of its URL', async () => {
      const { db, close } = mongoDatabase(fresh.url);
      const collection = db.collection<{ _id: string }>('kept');
      await collection.insertOne({ _id: 'one' });
      expect(await collection.findOne({ _id: 'one' })).to.deep.equal({ _id: 'one' });
      const duplicate = await rejection(collection.insertOne({ _id: 'one' }));
      expect(unavailable(duplicate)).to.equal(duplicate);
      await close();
    });

    it('finds a document and changes it in one step', async () => {
      const { db, close } = mongoDatabase(fresh.url);
      const collection = db.collection<{ _id: string; number: number; holder: string | null }>('steps');
      await collection.insertOne({ _id: 'one', number: 0, holder: null });
      const writers = Array.from({ length: 30 }, (_, writer) => `writer ${writer}`);
      const increments = writers.map(() => collection.findOneAndUpdate({ _id: 'one' }, { $inc: { number: 1 } }));
      expect(new Set((await Promise.all(increments)).map((document) => document?.number)).size).to.equal(30);
      const claims = writers.map((holder) => collection.updateOne({ _id: 'one', holder: null }, { $set: { holder } }));
      expect((await Promise.all(claims)).filter(({ matchedCount }) => matchedCount === 1)).to.have.length(1);
      const removals = writers.map(() => collection.deleteOne({ _id: 'one', number: 30 }));
      expect((await Promise.all(removals)).filter(({ deletedCount }) => deletedCount === 1)).to.have.length(1);
      await close();
    });

    it('finds a server that was not there at first', async () => {
      const gate = await gateTo(fresh.url);
      await gate.shut();
      const { db, close } = mongoDatabase(withOptions(gate.url, 'serverSelectionTimeoutMS=1000'));
      const collection = db.collection<{ _id: string }>('kept');
      expect(await kindOf(collection.insertOne({ _id: 'one' }))).to.equal('unavailable');
      await gate.open();
      while ((await kindOf(collection.insertOne({ _id: 'one' }))) === 'unavailable') await sleep(20);
      expect(await collection.findOne()).to.deep.equal({ _id: 'one' });
      await gate.shut();
      await close();
    });

    it('does not wait for ever for a server that takes nothing in', async () => {
      const gate = await gateTo(fresh.url);
      const { db, close } = mongoDatabase(withOptions(gate.url, 'maxPoolSize=1'));
      const collection = db.collection<{ _id: string; data?: Buffer }>('large');
      const data = Buffer.alloc(15_000_000);
      const replacement = { data: Buffer.alloc(15_000_000) };
      const bulk = [{ replaceOne: { filter: { _id: 'one' }, replacement, upsert: true } }];
      await collection.insertOne({ _id: 'small' });
      gate.hold();
      expect(await kindOf(collection.insertOne({ _id: 'large', data }, writeDeadline(200)))).to.equal('unavailable');
      await gate.open();
      expect(await collection.countDocuments()).to.be.lessThan(3);
      gate.hold();
      expect(await kindOf(collection.bulkWrite(bulk, writeDeadline(200)))).to.equal('unavailable');
      await gate.open();
      expect(await collection.findOne({ _id: 'small' })).to.deep.equal({ _id: 'small' });
      await close();
      await gate.shut();
    });

    it('says when to come again once the server has gone, is silent, or the client is closed', async () => {
      const gate = await gateTo(fresh.url);
      const { db, close } = mongoDatabase(withOptions(gate.url, BRIEFLY));
      const collection = db.collection('any');
      expect(await collection.findOne()).to.equal(null);
      gate.hold();
      const kinds = [await kindOf(collection.findOne())];
      await gate.shut();
      kinds.push(await kindOf(collection.findOne()));
      await close();
      kinds.push(await kindOf(collection.findOne()));
      expect(kinds).to.deep.equal(['unavailable', 'unavailable', 'unavailable']);
    });
  });
});

const BRIEFLY = 'socketTimeoutMS=300&connectTimeoutMS=300&serverSelectionTimeoutMS=300';

async function kindOf(call: Promise<unknown>): Promise<string> {
  const error = unavailable(await rejection(call));
  return error instanceof Problem ? error.kind : String(error);
}
