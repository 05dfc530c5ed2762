import { expect } from 'chai';
import { GridFSBucket } from 'mongodb';
import { type BlobStore } from '../../src/core/blob-store.js';
import { gridFsBlobStore } from '../../src/stores/gridfs-blob-store.js';
import { mongoDatabase, type MongoDatabase } from '../../src/stores/mongodb.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../support/mongodb/for-each-mongodb.js';
import { chunksOf, gathered, itKeepsTheBlobStoreContract, sha256 } from './blob-store.contract.js';
import { rejection } from './event-log-fixture.js';
import { keptIn } from './gridfs-fixture.js';

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
          await Promise.all([here!.delete(digest, before), there!.put(chunksOf(text)), here!.delete(digest, before)]);
          expect(String(await gathered(here!.read(digest, 0, 100)))).to.equal(text);
        }),
      );
      expect(await kept()).to.deep.include({ digests: 20, files: 20, chunks: 20, strays: 0 });
      now += 25 * HOUR;
      await open(databases[1]);
      expect(await kept()).to.deep.equal({ digests: 20, files: 20, chunks: 20, leftovers: 0, strays: 0 });
    });

    it('leaves alone what somebody is still putting', async () => {
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

    it('gives up what somebody has been putting for more than a day, and leaves nothing of it', async () => {
      const slow = async function* () {
        yield* chunksOf(LARGE);
        now += 25 * HOUR;
        await open(databases[1]);
        yield* chunksOf(LARGE);
      };
      expect(await rejection(here!.put(slow())))
        .to.be.an('error')
        .with.property('message')
        .that.includes('too long');
      expect(await kept()).to.deep.equal({ digests: 0, files: 0, chunks: 0, leftovers: 1, strays: 0 });
      now += 25 * HOUR;
      await open(databases[1]);
      expect(await kept()).to.deep.equal({ digests: 0, files: 0, chunks: 0, leftovers: 0, strays: 0 });
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
