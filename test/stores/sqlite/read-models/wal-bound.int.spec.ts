import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { openReadModelFile } from '../../../../src/stores/sqlite/read-models/file.js';
import { emptyWal, walBound } from '../../../../src/stores/sqlite/read-models/wal-bound.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';

const LARGEST = 1_000_000;
/** Of a write, for the read models. */
const WAIT_MS = 1000;

describe('a write-ahead log beside a long query', () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => directory.remove());

  it('is emptied after the query, once it is large, and with each further growth', () => {
    const path = join(directory.path, 'a.sqlite');
    const [writer, reader] = [openDatabase(path), openDatabase(path)];
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
    const size = (): number => statSync(`${path}-wal`).size;
    let tries = 0;
    const empty = (): void => {
      tries += 1;
      emptyWal(writer, 10);
    };
    const committed = walBound(`${path}-wal`, empty, { largest: LARGEST, everyCommits: 4, againMs: 0 });
    const write = (): void => {
      writer.exec('INSERT INTO t VALUES (zeroblob(100000))');
      committed();
    };
    for (let round = 1; round <= 2; round += 1) {
      reader.exec('BEGIN; SELECT count(*) FROM t');
      for (let nth = 1; nth <= 16; nth += 1) write();
      expect(size()).to.be.above(LARGEST);
      expect(tries).to.be.above(0);
      reader.exec('COMMIT');
      for (let nth = 1; nth <= 4; nth += 1) write();
      expect(size()).to.be.below(LARGEST);
      tries = 0;
    }
    expect(reader.prepare('SELECT count(*) AS n FROM t').get()).to.deep.include({ n: 40 });
    writer.close();
    reader.close();
  });

  it('is tried to be emptied now and then only, and not while it is small or missing', () => {
    const log = join(directory.path, 'a-log');
    const triesIn = (commits: number, bounds?: Parameters<typeof walBound>[2]): number => {
      let tries = 0;
      const committed = walBound(log, () => (tries += 1), bounds);
      for (let nth = 1; nth <= commits; nth += 1) committed();
      return tries;
    };
    const bounds = { largest: 10, everyCommits: 2, againMs: 0 };
    expect(triesIn(10, bounds)).to.equal(0);
    writeFileSync(log, 'x'.repeat(10));
    expect(triesIn(1, bounds)).to.equal(0);
    expect(triesIn(10, bounds)).to.equal(5);
    expect(triesIn(10, { ...bounds, againMs: 3_600_000 })).to.equal(1);
    // It takes no room on the disk.
    truncateSync(log, 512 * 1024 * 1024 - 1);
    expect(triesIn(256)).to.equal(0);
    truncateSync(log, 512 * 1024 * 1024);
    expect([triesIn(255), triesIn(256)]).to.deep.equal([0, 1]);
  });

  it('is that of the read models', () => {
    const file = openReadModelFile(directory.path, 'write');
    const log = join(directory.path, 'read-models.sqlite-wal');
    // Beyond its end, SQLite reads nothing.
    truncateSync(log, 512 * 1024 * 1024);
    for (let nth = 0; nth < 256; nth += 1) file.transaction('IMMEDIATE', () => undefined);
    expect(statSync(log).size).to.be.below(LARGEST);
    file.close();
  });

  it('leaves a connection as patient as it was, and its errors to the next commit', () => {
    const database = openDatabase(join(directory.path, 'c.sqlite'));
    emptyWal(database);
    const failing = (sql: string): void => {
      if (sql.includes('checkpoint')) throw new Error('the disk resists');
      database.exec(sql);
    };
    emptyWal({ ...database, exec: failing });
    expect(database.prepare('PRAGMA busy_timeout').get()).to.deep.include({ timeout: 5000 });
    database.close();
  });

  it('holds up commits for less time than a write waits to be shown', () => {
    const path = join(directory.path, 'b.sqlite');
    const [writer, reader] = [openDatabase(path), openDatabase(path)];
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
    reader.exec('BEGIN; SELECT count(*) FROM t');
    writer.exec('INSERT INTO t VALUES (1)');
    const began = performance.now();
    emptyWal(writer);
    expect(performance.now() - began).to.be.below(WAIT_MS);
    writer.close();
    reader.close();
  });
});
