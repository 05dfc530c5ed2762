import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Position } from '../../src/core/event-log.js';
import { fileStream } from '../../src/files/file-events.js';
import { type Notice } from '../../src/migration/migrate.js';
import { mongoDatabase } from '../../src/stores/mongodb/connection.js';
import { gridFsBlobStore } from '../../src/stores/mongodb/gridfs/blob-store.js';
import { forEachMongoDb, freshDatabase } from '../support/mongodb/for-each-mongodb.js';
import { chunksOf, sha256 } from '../stores/contracts/blob-store.contract.js';
import {
  embedded,
  facts,
  fill,
  holds,
  kept,
  migrated,
  notes,
  production,
  type Side,
  sides,
  uploaded,
} from './migration-fixture.js';

describe('a migration of files', () => {
  const { open, closeAll } = sides();
  afterEach(closeAll);

  let from: Side;
  let to: Side;
  beforeEach(async () => {
    [from, to] = [await open(embedded), await open(production)];
  });
  const fate = (id: number, type: 'FileDiscarded' | 'FileErased') => ({
    stream: fileStream(id),
    events: [{ type, data: { fileId: id, owner: 1, chunks: 1 } }],
    metadata: facts(),
    bytes: null,
  });
  const pathOf = ({ path }: Side, bytes: string): string =>
    join(path, 'blobs', sha256(bytes).slice(0, 2), sha256(bytes).slice(2));
  const lose = (side: Side, bytes: string): Promise<void> => rm(pathOf(side, bytes));

  it('says which files lack bytes, and copies all else', async () => {
    await fill(from, [uploaded(1, 'one'), uploaded(2, 'two'), uploaded(3, 'two'), uploaded(4, 'four')]);
    await lose(from, 'two');
    const { result, notices } = await migrated(from, to);

    expect([result.equal, to.isUsable()]).to.deep.equal([false, true]);
    expect(result.files.lacking.map(({ streams }) => streams)).to.deep.equal([['file-2', 'file-3']]);
    expect(notices.flatMap((one) => (one.type === 'lacking' ? one.blob.streams : []))).to.deep.equal([
      'file-2',
      'file-3',
    ]);
    expect([result.files.source.blobs, result.files.target.blobs]).to.deep.equal([3, 2]);
    expect(await kept(to)).to.deep.equal(await kept(from));
    expect([await holds(to, 'one'), await holds(to, 'four')]).to.deep.equal([true, true]);

    await fill(from, []);
    await from.blobs.put(chunksOf('two'));
    const again = (await migrated(from, to)).result;
    expect(again).to.deep.include({ equal: true, copied: { events: 0, files: 1 } });
  });

  it('says once which bytes the source lacks, although the source goes on', async () => {
    await fill(from, [uploaded(1, 'one'), ...notes(5)]);
    await lose(from, 'one');
    let writing: Promise<void> | undefined;
    const on = (notice: Notice): void => {
      if (notice.type === 'progress' && notice.stage === 'copying events') writing ??= fill(from, notes(1));
    };
    const end = async (): Promise<Position | null> => {
      await writing;
      return from.log.end();
    };
    const { notices } = await migrated({ ...from, log: { ...from.log, end } }, to, { on });
    const told = notices.map(({ type }) => type).filter((type) => type !== 'progress');
    expect(told).to.deep.equal(['lacking', 'grown']);
  });

  it('does not mind what was discarded or erased in the log, unless another file needs the bytes', async () => {
    await fill(from, [uploaded(1, 'one'), fate(1, 'FileDiscarded'), fate(1, 'FileErased')]);
    await fill(from, [uploaded(2, 'two'), fate(2, 'FileDiscarded')]);
    await lose(from, 'one');
    await lose(from, 'two');
    const before = await migrated(from, to);
    expect(before.result).to.deep.include({ equal: true });
    expect(before.notices.filter(({ type }) => type === 'lacking')).to.deep.equal([]);

    await fill(from, [uploaded(3, 'two')]);
    await lose(from, 'two');
    const { result } = await migrated(from, to);
    expect(result.files.lacking.map(({ streams }) => streams)).to.deep.equal([['file-2', 'file-3']]);
  });

  it('takes along what is discarded and still there, and leaves what is erased', async () => {
    await fill(from, [uploaded(1, 'one'), fate(1, 'FileDiscarded')]);
    await fill(from, [uploaded(2, 'two'), fate(2, 'FileDiscarded'), fate(2, 'FileErased')]);
    expect((await migrated(from, to)).result.equal).to.equal(true);
    expect([await holds(to, 'one'), await holds(to, 'two')]).to.deep.equal([true, false]);
  });

  it('keeps no bytes that are not those of their digest', async () => {
    await fill(from, [uploaded(1, 'bytes')]);
    await writeFile(pathOf(from, 'bytes'), 'bites');
    const { result } = await migrated(from, to);
    expect(result.equal).to.equal(false);
    expect(result.files.lacking).to.have.length(1);
    expect([await to.blobs.exists(sha256('bytes')), await to.blobs.exists(sha256('bites'))]).to.deep.equal([
      false,
      false,
    ]);
  });

  it('takes bytes that cannot be read for lacking, and goes on', async () => {
    await fill(from, [uploaded(1, 'bytes'), uploaded(2, 'two')]);
    await rm(pathOf(from, 'bytes'));
    await mkdir(pathOf(from, 'bytes'));
    const { result } = await migrated(from, to);
    expect(result.files.lacking.map(({ streams }) => streams)).to.deep.equal([['file-1']]);
    expect(await holds(to, 'two')).to.equal(true);
  });

  for (const damage of ['bites', 'byte', '']) {
    it(`puts bytes that became "${damage}" in the target there again, from a source that has them`, async () => {
      await fill(from, [uploaded(1, 'bytes')]);
      await migrated(from, to);
      await writeFile(pathOf(to, 'bytes'), damage);
      expect((await migrated(from, to)).result).to.deep.include({ equal: true, copied: { events: 0, files: 1 } });
      expect(await holds(to, 'bytes')).to.equal(true);
      expect((await migrated(from, to)).result.copied).to.deep.equal({ events: 0, files: 0 });
    });
  }

  it('leaves bytes that both sides have damaged, and says so', async () => {
    await fill(from, [uploaded(1, 'bytes')]);
    await migrated(from, to);
    await writeFile(pathOf(from, 'bytes'), 'byte');
    await writeFile(pathOf(to, 'bytes'), 'bites');
    const { result, notices } = await migrated(from, to);
    expect([result.equal, result.files.lacking.length, result.files.target.blobs]).to.deep.equal([false, 1, 0]);
    expect(notices.filter(({ type }) => type === 'lacking')).to.have.length(1);
    expect(String(await readFile(pathOf(to, 'bytes')))).to.equal('bites');
  });

  forEachMongoDb('into GridFS', (server) => {
    it('puts bytes that were damaged there again', async () => {
      const fresh = freshDatabase(server.url());
      const { db, close } = mongoDatabase(fresh.url);
      try {
        const target = { ...to, blobs: await gridFsBlobStore(db, () => new Date()) };
        await fill(from, [uploaded(1, 'bytes')]);
        await migrated(from, target);
        await db.collection('blobs.chunks').updateOne({}, { $set: { data: Buffer.from('bites') } });
        expect(await holds(target, 'bytes')).to.equal(false);
        expect((await migrated(from, target)).result.equal).to.equal(true);
        expect(await holds(target, 'bytes')).to.equal(true);
      } finally {
        await close();
        await fresh.drop();
      }
    });
  });

  it('finds names of bytes in events of any type', async () => {
    await from.blobs.put(chunksOf('deep'));
    const named = { pages: [{ scan: { digest: sha256('deep'), size: 4 } }], digest: sha256('no bytes'), more: null };
    await fill(from, [{ ...notes(1)[0]!, events: [{ type: 'OfATypeThatNobodyKnows', data: named }] }]);
    expect((await migrated(from, to)).result).to.deep.include({ equal: true });
    expect(await holds(to, 'deep')).to.equal(true);
  });
});
