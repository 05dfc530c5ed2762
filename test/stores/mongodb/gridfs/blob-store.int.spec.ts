import { expect } from 'chai';
import { GridFSBucket } from 'mongodb';
import { type BlobStore } from '../../../../src/core/blob-store.js';
import { gridFsBlobStore } from '../../../../src/stores/mongodb/gridfs/blob-store.js';
import { type Named } from '../../../../src/stores/mongodb/gridfs/leftovers.js';
import { mongoDatabase, type MongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../../support/mongodb/for-each-mongodb.js';
import {
  chunksOf,
  gathered,
  itKeepsTheBlobStoreContract,
  sha256,
  unnamed,
} from '../../contracts/blob-store.contract.js';
import { rejection } from '../../contracts/event-log-fixture.js';
import { keptIn, pausingDb, type PausingDb } from './fixture.js';

const HOUR = 60 * 60 * 1000;
/** In more than one chunk. */
const LARGE = Buffer.alloc(2_500_000, 'large');

forEachMongoDb('the blob store', (server) => {
  itKeepsTheBlobStoreContract(async () => {
    const fresh = freshDatabase(server.url());
    const { db, close } = mongoDatabase(fresh.url);
    let now = Date.now();
    const clock = () => new Date(now);
    return {
      blobs: await gridFsBlobStore(db, clock),
      pass: (seconds) => {
        now += 1000 * seconds;
      },
      now: clock,
      shorten: async (digest, size) => {
        const { file } = (await db.collection<Named>('digests').findOne({ _id: digest }))!;
        const chunks = db.collection('blobs.chunks');
        const { data } = (await chunks.findOne({ files_id: file }, { promoteBuffers: true }))!;
        await chunks.updateOne({ files_id: file }, { $set: { data: (data as Buffer).subarray(0, size) } });
      },
      close: async () => {
        await close();
        await fresh.drop();
      },
    };
  });

  describe('of two processes', () => {
    let fresh: FreshDatabase;
    let databases: readonly [MongoDatabase, MongoDatabase];
    let [here, there]: BlobStore[] = [];
    let now: number;
    const clock = () => new Date(now);
    const open = ({ db }: MongoDatabase) => gridFsBlobStore(db, clock);
    const kept = () => keptIn(databases[0].db);
    beforeEach(async () => {
      now = Date.now();
      fresh = freshDatabase(server.url());
      databases = [mongoDatabase(fresh.url), mongoDatabase(fresh.url)];
      [here, there] = await Promise.all(databases.map(open));
    });
    afterEach(async () => {
      for (const { close } of databases) await close();
      await fresh.drop();
    });

    it('keeps one copy of what both put at once', async () => {
      const puts = [here, there, here, there].map((blobs) => blobs!.put(chunksOf(LARGE)));
      const blob = { digest: sha256(LARGE), size: LARGE.length };
      expect(await Promise.all(puts)).to.deep.equal([blob, blob, blob, blob]);
      for (const blobs of [here, there]) {
        expect((await gathered(blobs!.read(blob.digest, 0, blob.size))).equals(LARGE)).to.equal(true);
      }
      expect(await kept()).to.deep.equal({ digests: 1, files: 1, chunks: 3, leftovers: 0, strays: 0 });
    });

    it('keeps what one puts while the other removes what was there before', async () => {
      const texts = Array.from({ length: 20 }, (_, round) => `text of round ${round}`);
      for (const text of texts) await here!.put(chunksOf(text));
      now += HOUR;
      const before = clock();
      await Promise.all(
        texts.map(async (text) => {
          const digest = sha256(text);
          await Promise.all([
            here!.delete(digest, before, unnamed),
            there!.put(chunksOf(text)),
            here!.delete(digest, before, unnamed),
          ]);
          expect(String(await gathered(here!.read(digest, 0, text.length)))).to.equal(text);
        }),
      );
      expect(await kept()).to.deep.include({ digests: 20, files: 20, chunks: 20, strays: 0 });
      now += 25 * HOUR;
      await open(databases[1]);
      expect(await kept()).to.deep.equal({ digests: 20, files: 20, chunks: 20, leftovers: 0, strays: 0 });
    });

    it('leaves a blob alone while another process puts it', async () => {
      let tell: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => (tell = resolve));
      let goOn: () => void = () => undefined;
      const goneOn = new Promise<void>((resolve) => (goOn = resolve));
      const slow = async function* () {
        yield* chunksOf(LARGE);
        tell();
        await goneOn;
        yield* chunksOf('the end');
      };
      const put = here!.put(slow());
      await begun;
      now += 23 * HOUR;
      await open(databases[1]);
      goOn();
      const { digest, size } = await put;
      expect((await gathered(there!.read(digest, LARGE.length, size))).toString()).to.equal('the end');
      expect(await kept()).to.deep.equal({ digests: 1, files: 1, chunks: 3, leftovers: 0, strays: 0 });
    });

    it('fails a put of more than a day, and removes its bytes', async () => {
      const slow = async function* () {
        yield* chunksOf(LARGE);
        now += 25 * HOUR;
        await open(databases[1]);
        yield* chunksOf(LARGE);
      };
      expect(await rejection(here!.put(slow())))
        .to.be.an('error')
        .with.property('message')
        .that.includes('timed out');
      expect(await kept()).to.deep.equal({ digests: 0, files: 0, chunks: 0, leftovers: 1, strays: 0 });
      now += 25 * HOUR;
      await open(databases[1]);
      expect(await kept()).to.deep.equal({ digests: 0, files: 0, chunks: 0, leftovers: 0, strays: 0 });
    });

    const wholeIn = async (blobs: BlobStore, bytes: Buffer) =>
      (await gathered(blobs.read(sha256(bytes), 0, bytes.length))).equals(bytes);
    const paused = async (database: MongoDatabase): Promise<PausingDb & { readonly blobs: BlobStore }> => {
      const pausing = pausingDb(database.db);
      return { ...pausing, blobs: await gridFsBlobStore(pausing.db, clock) };
    };
    const aDayLater = async (): Promise<void> => {
      now += 25 * HOUR;
      await open(databases[1]);
    };
    const nothingIsLeft = async (): Promise<void> => {
      await aDayLater();
      const { digests, files, leftovers, strays } = await kept();
      expect({ files, leftovers, strays }).to.deep.equal({ files: digests, leftovers: 0, strays: 0 });
    };

    it('names no bytes that were removed as leftovers while who put them was paused', async () => {
      const one = await paused(databases[0]);
      const naming = one.pauseAt('digests', 'insertOne');
      const put = rejection(one.blobs.put(chunksOf(LARGE)));
      const goOn = await naming;
      await aDayLater();
      expect((await kept()).files).to.equal(0);
      goOn();
      expect(await put)
        .to.be.an('error')
        .with.property('message')
        .that.includes('timed out');
      expect([await there!.exists(sha256(LARGE)), await there!.keep(sha256(LARGE))]).to.deep.equal([false, false]);
      await there!.put(chunksOf(LARGE));
      expect(await wholeIn(here!, LARGE)).to.equal(true);
      await nothingIsLeft();
    });

    it('counts on no bytes that are being removed, although they have just got their name', async () => {
      const [one, other] = [await paused(databases[0]), pausingDb(databases[1].db)];
      const naming = one.pauseAt('digests', 'insertOne');
      const put = rejection(one.blobs.put(chunksOf(LARGE)));
      const name = await naming;
      now += 25 * HOUR;
      const removing = other.pauseAt('blobs.files', 'deleteOne');
      const opened = gridFsBlobStore(other.db, clock);
      const remove = await removing;
      const confirming = one.pauseAt('leftovers', 'deleteOne');
      name();
      const confirm = await confirming;
      expect(await here!.keep(sha256(LARGE))).to.equal(false);
      await here!.put(chunksOf(LARGE));
      confirm();
      expect(await put)
        .to.be.an('error')
        .with.property('message')
        .that.includes('timed out');
      remove();
      await opened;
      expect(await there!.keep(sha256(LARGE))).to.equal(true);
      expect(await wholeIn(there!, LARGE)).to.equal(true);
      await nothingIsLeft();
      expect(await wholeIn(there!, LARGE)).to.equal(true);
    });

    it('keeps bytes that get their name after a removal of leftovers has searched for it', async () => {
      const [one, other] = [await paused(databases[0]), pausingDb(databases[1].db)];
      // A day behind the one that removes: it does not tidy up before it puts.
      const behind = now + 1;
      const third = await gridFsBlobStore(databases[0].db, () => new Date(behind));
      const naming = one.pauseAt('digests', 'insertOne');
      const put = one.blobs.put(chunksOf(LARGE));
      const name = await naming;
      now += 25 * HOUR;
      const dooming = other.pauseAt('leftovers', 'updateOne');
      const opened = gridFsBlobStore(other.db, clock);
      const doom = await dooming;
      const confirming = one.pauseAt('leftovers', 'deleteOne');
      name();
      const confirm = await confirming;
      await third.put(chunksOf(LARGE));
      doom();
      await opened;
      confirm();
      await put;
      expect(await here!.keep(sha256(LARGE))).to.equal(true);
      expect(await wholeIn(there!, LARGE)).to.equal(true);
      await nothingIsLeft();
      expect(await wholeIn(there!, LARGE)).to.equal(true);
    });

    it('removes what is left over also while it goes on', async () => {
      const failing = async function* () {
        yield* chunksOf(LARGE);
        throw new Error('cut off');
      };
      await rejection(there!.put(failing()));
      expect((await kept()).leftovers).to.equal(1);
      now += 25 * HOUR;
      await here!.put(chunksOf('another'));
      expect(await kept()).to.deep.equal({ digests: 1, files: 1, chunks: 1, leftovers: 0, strays: 0 });
    });

    it('is a GridFS bucket, where files are named by their digests', async () => {
      const { digest } = await here!.put(chunksOf(LARGE));
      const bucket = new GridFSBucket(databases[1].db, { bucketName: 'blobs' });
      const bytes = await gathered(bucket.openDownloadStreamByName(digest, { start: 1_000_000, end: 2_400_000 }));
      expect(bytes.equals(LARGE.subarray(1_000_000, 2_400_000))).to.equal(true);
    });
  });
});
