/** What is left of a GridFS blob store when a process dies, the server goes, or the disk is full; and how much it holds. */
import { expect } from 'chai';
import { type Db } from 'mongodb';
import { type BlobStore } from '../../../../src/core/blob-store.js';
import { Problem } from '../../../../src/core/problem.js';
import { gridFsBlobStore } from '../../../../src/stores/mongodb/gridfs/blob-store.js';
import { mongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { forEachMongoDb, freshDatabase, type FreshDatabase } from '../../../support/mongodb/for-each-mongodb.js';
import { refusingWrites } from '../../../support/mongodb/refusing-writes.js';
import { gateTo } from '../../../support/mongodb/gate.js';
import { startStandIn } from '../../../support/mongodb/stand-ins.js';
import { withOptions } from '../../../support/mongodb/options.js';
import { chunksOf, gathered, sha256, unnamed } from '../../contracts/blob-store.contract.js';
import { rejection } from '../../contracts/event-log-fixture.js';
import { keptIn } from './fixture.js';

const DAY = 24 * 60 * 60 * 1000;
const BRIEFLY = 'serverSelectionTimeoutMS=300&monitorCommands=true';
const NOW = Date.now();
const at = (instant: number) => () => new Date(instant);
/** In two chunks. */
const LARGE = Buffer.alloc(1_100_000, 'large');
const SMALL = Buffer.from('small');

type Act = (blobs: BlobStore) => Promise<unknown>;

forEachMongoDb('the blob store, when things fail', (server) => {
  /** Whether the act came to its end in a store whose server is out of reach after so many commands of it. */
  async function cutOffAfter(commands: number, fresh: FreshDatabase, act: Act): Promise<boolean> {
    const gate = await gateTo(fresh.url);
    const { db, client, close } = mongoDatabase(withOptions(gate.url, BRIEFLY));
    const blobs = await opened(db);
    let left = commands;
    client.on('commandSucceeded', () => {
      left -= 1;
      if (left === 0) void gate.shut();
    });
    const error = await rejection(act(blobs));
    if (error !== undefined) expect(error).to.include({ kind: 'unavailable', retryAfter: 5 });
    await gate.shut();
    await close();
    return error === undefined;
  }

  /** For each command of the act one store that is cut off after it, and one that is not. Looks at them a day later. */
  async function cutOffEverywhere(
    prepare: Act,
    act: Act,
    look: (blobs: BlobStore, ended: boolean) => Promise<void>,
  ): Promise<number> {
    const one = async (commands: number): Promise<boolean> => {
      const fresh = freshDatabase(server.url());
      const { db, close } = mongoDatabase(fresh.url);
      await prepare(await gridFsBlobStore(db, at(NOW - DAY)));
      const ended = await cutOffAfter(commands, fresh, act);
      expect((await keptIn(db)).strays, `strays after ${commands}`).to.equal(0);
      const blobs = await gridFsBlobStore(db, at(NOW + DAY + 1));
      await look(blobs, ended);
      const { digests, files, leftovers, strays } = await keptIn(db);
      expect({ files, leftovers, strays }, `after ${commands}`).to.deep.equal({
        files: digests,
        leftovers: 0,
        strays: 0,
      });
      await close();
      await fresh.drop();
      return ended;
    };
    for (let commands = 1; ; commands += AT_ONCE) {
      const ended = await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => one(commands + more)));
      if (ended.every(Boolean)) return commands;
    }
  }

  const wholeIn = async (blobs: BlobStore, bytes: Buffer) =>
    (await gathered(blobs.read(sha256(bytes), 0, bytes.length))).equals(bytes);
  const putting =
    (bytes: Buffer): Act =>
    (blobs) =>
      blobs.put(chunksOf(bytes));
  const removing: Act = (blobs) => blobs.delete(sha256(SMALL), new Date(NOW), unnamed);

  it('has a blob whole or not at all, wherever its server goes while it is put', async () => {
    const nothing = () => Promise.resolve();
    const commands = await cutOffEverywhere(nothing, putting(LARGE), async (blobs, ended) => {
      if (await blobs.exists(sha256(LARGE))) expect(await wholeIn(blobs, LARGE)).to.equal(true);
      else expect(ended).to.equal(false);
      await blobs.put(chunksOf(LARGE));
      expect(await wholeIn(blobs, LARGE)).to.equal(true);
    });
    expect(commands).to.be.greaterThan(5);
  });

  it('keeps a blob that is there, wherever its server goes while it is put again', async () => {
    const commands = await cutOffEverywhere(putting(SMALL), putting(SMALL), async (blobs, ended) => {
      expect(await wholeIn(blobs, SMALL)).to.equal(true);
      if (ended) expect(await removing(blobs)).to.equal(false);
    });
    expect(commands).to.be.greaterThan(5);
  });

  it('has a blob whole or not at all, wherever its server goes while it is removed', async () => {
    const commands = await cutOffEverywhere(putting(SMALL), removing, async (blobs, ended) => {
      const exists = await blobs.exists(sha256(SMALL));
      if (exists) expect(await wholeIn(blobs, SMALL)).to.equal(true);
      if (ended) expect(exists).to.equal(false);
      expect(await removing(blobs)).to.equal(true);
    });
    expect(commands).to.be.greaterThan(3);
  });

  it('says when to come again while its server is out of reach, and then goes on', async () => {
    const fresh = freshDatabase(server.url());
    const gate = await gateTo(fresh.url);
    const { db, close } = mongoDatabase(withOptions(gate.url, BRIEFLY));
    const blobs = await opened(db);
    const { digest, size } = await blobs.put(chunksOf(LARGE));
    const reading = blobs.read(digest, 0, size)[Symbol.asyncIterator]();
    await reading.next();
    await gate.shut();
    const calls = [
      blobs.put(chunksOf('more')),
      blobs.exists(digest),
      blobs.delete(digest, new Date(NOW), unnamed),
      gathered(blobs.read(digest, 0, 1)),
      reading.next(),
    ];
    for (const error of await Promise.all(calls.map(rejection))) {
      expect(error).to.be.instanceOf(Problem).and.include({ kind: 'unavailable', retryAfter: 5 });
    }
    await gate.open();
    await opened(db);
    expect(await wholeIn(blobs, LARGE)).to.equal(true);
    await blobs.put(chunksOf('more'));
    await close();
    await gate.shut();
    await fresh.drop();
  });

  it('is opened and read on a server that refuses to write, and then says that it is full', async () => {
    const fresh = freshDatabase(server.url());
    const own = mongoDatabase(fresh.url);
    await (await opened(own.db)).put(chunksOf(SMALL));
    const full = await refusingWrites(fresh.url);
    const refused = mongoDatabase(full.url);
    const left: unknown[] = [];
    const blobs = await gridFsBlobStore(refused.db, at(NOW), (error) => left.push(error));
    expect(await wholeIn(blobs, SMALL)).to.equal(true);
    const error = await rejection(blobs.put(chunksOf('more')));
    expect(error).to.be.instanceOf(Problem).with.property('kind', 'full');
    expect(left).to.deep.equal([]);
    await Promise.all([own.close(), refused.close()]);
    full.stop();
    await fresh.drop();
  });

  it('has its indexes before the first bytes, whichever of several processes stores them, and once a try has failed', async () => {
    const fresh = freshDatabase(server.url());
    const gate = await gateTo(fresh.url);
    const cut = mongoDatabase(withOptions(gate.url, BRIEFLY));
    const failing = await gridFsBlobStore(cut.db, at(NOW));
    await gate.shut();
    expect(await rejection(failing.put(chunksOf(SMALL)))).to.include({ kind: 'unavailable' });
    await gate.open();

    const { db, close } = mongoDatabase(fresh.url);
    const others = await Promise.all(Array.from({ length: 5 }, () => opened(db)));
    await Promise.all([...others, await reachable(failing)].map((blobs) => blobs.put(chunksOf(SMALL))));
    const keys = async (name: string) =>
      (await db.collection(name).indexes()).map(({ key }) => Object.keys(key as object));
    expect(await keys('blobs.chunks')).to.deep.include(['files_id', 'n']);
    expect(await keys('blobs.files')).to.deep.include(['filename', 'uploadDate']);
    expect(await keys('digests')).to.deep.include(['file']);
    expect(await keptIn(db)).to.deep.equal({ digests: 1, files: 1, chunks: 1, leftovers: 0, strays: 0 });
    await Promise.all([close(), cut.close()]);
    await gate.shut();
    await fresh.drop();
  });

  it('tells a source that fails from a server that does', async () => {
    const fresh = freshDatabase(server.url());
    const { db, close } = mongoDatabase(fresh.url);
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const failing = async function* () {
      yield* chunksOf('half');
      throw reset;
    };
    expect(await rejection((await opened(db)).put(failing()))).to.equal(reset);
    await close();
    await fresh.drop();
  });

  if (server.name === 'ferretdb') {
    it('refuses what the disk does not take, leaves nothing of it, and goes on', async () => {
      const small = await startStandIn('ferretdb', 1000);
      const { db, close } = mongoDatabase(freshDatabase(small.url).url);
      const blobs = await opened(db);
      const error = await rejection(blobs.put(chunksOf(...Array.from({ length: 5 }, () => LARGE))));
      expect(error).to.be.instanceOf(Problem).with.property('kind', 'full');
      expect(await keptIn(db)).to.deep.equal({ digests: 0, files: 0, chunks: 0, leftovers: 1, strays: 0 });
      const { digest } = await blobs.put(chunksOf(SMALL));
      expect(await blobs.exists(digest)).to.equal(true);
      await close();
      await small.stop();
    });
  }

  it('holds one chunk at a time, however large a blob is', async () => {
    // FerretDB keeps bytes as text in JSON: it takes its time.
    const pieces = server.name === 'ferretdb' ? 160 : 3200;
    const fresh = freshDatabase(server.url());
    const { db, client, close } = mongoDatabase(withOptions(fresh.url, 'monitorCommands=true'));
    const blobs = await gridFsBlobStore(db, at(NOW));
    let [written, asked] = [0, 0];
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find' && command['find'] === 'blobs.chunks') asked += 1;
      if (commandName === 'insert' && command['insert'] === 'blobs.chunks') written += 1;
    });
    let ahead = 0;
    const source = async function* () {
      for (let piece = 0; piece < pieces; piece += 1) {
        ahead = Math.max(ahead, piece * PIECE - written * CHUNK);
        yield await Promise.resolve(Buffer.alloc(PIECE, piece));
      }
    };
    const { digest, size } = await blobs.put(source());
    expect({ size, ahead }).to.deep.equal({ size: pieces * PIECE, ahead: CHUNK - PIECE });

    let [read, unread] = [0, 0];
    for await (const bytes of blobs.read(digest, 1, size)) {
      read += bytes.byteLength;
      unread = Math.max(unread, asked * CHUNK - 1 - read);
    }
    expect({ read, unread }).to.deep.equal({ read: size - 1, unread: 0 });
    await close();
    await fresh.drop();
  });
});

/** How long a busy machine takes to connect, nobody knows. */
async function opened(db: Db): Promise<BlobStore> {
  return reachable(await gridFsBlobStore(db, at(NOW)));
}

async function reachable(blobs: BlobStore): Promise<BlobStore> {
  for (;;) {
    try {
      await blobs.exists(sha256(SMALL));
      return blobs;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}

const AT_ONCE = 4;
const PIECE = 65_536;
const CHUNK = 1_048_576;
