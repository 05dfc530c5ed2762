import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase, type Database } from '../../../../src/stores/sqlite/connection.js';
import { checkpoints, type Checkpoints } from '../../../../src/stores/sqlite/event-log/checkpoints.js';
import { logPath, openLogForReading, openLogForWriting } from '../../../../src/stores/sqlite/event-log/file.js';
import { type PreparedAppend } from '../../../../src/stores/sqlite/event-log/writer.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/temporary-directory.js';

const LARGE = 1_000_000;
/** An error of SQLite. */
const errorOf = (errcode: number): Error => Object.assign(new Error('the disk resists'), { errcode });
const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_FSYNC = 1034;

describe('the checkpoints of the event log on SQLite', () => {
  let directory: TemporaryDirectory;
  let other: TemporaryDirectory;
  let database: Database;
  let log: Checkpoints;
  let appended: number;
  /** After how many appends each was tried. */
  let tries: number[];
  let fails: Error | null;

  beforeEach(async () => {
    [directory, other] = [await temporaryDirectory(), await temporaryDirectory()];
    database = openLogForWriting(directory.path);
    [appended, tries, fails] = [0, [], null];
    const watched: Database = {
      ...database,
      prepare: (sql) => {
        if (!sql.includes('PASSIVE')) return database.prepare(sql);
        tries.push(appended);
        if (fails !== null) throw fails;
        return database.prepare(sql);
      },
    };
    log = checkpoints(watched, logPath(directory.path));
    log.begin();
  });

  afterEach(async () => {
    database.close();
    await directory.remove();
    await other.remove();
  });

  /** Writes little, and states these sizes. */
  const append = (times: number, { data = 2, metadata = 2, events = 1 }): void => {
    const one = { id: 'an id', type: 'NoteTaken', data: 'x'.repeat(data) };
    const stated: PreparedAppend = {
      stream: 'note-1',
      expected: 0,
      events: Array.from({ length: events }, () => one),
      metadata: 'x'.repeat(metadata),
    };
    for (let time = 0; time < times; time += 1) {
      database.exec(`INSERT INTO events VALUES (NULL, 'note-1', ${appended}, 'an id', 'NoteTaken', '{}', '{}', NULL)`);
      appended += 1;
      log.committed([stated]);
    }
  };
  /** What a power cut leaves, when nothing beside the file had reached the disk. */
  const inTheFileAlone = (): number => {
    copyFileSync(logPath(directory.path), join(other.path, 'log.sqlite'));
    const copy = openLogForReading(other.path);
    const { count } = copy.prepare('SELECT count(*) AS count FROM events').get() ?? {};
    copy.close();
    return Number(count);
  };

  it('move all into the file after some 16 MB each', () => {
    append(40, { data: LARGE });
    expect(tries).to.deep.equal([17, 34]);
    expect(inTheFileAlone()).to.equal(34);
  });

  it('count what goes with the data of the events', () => {
    append(17, { metadata: LARGE });
    append(4, { events: 1300 });
    append(1, { data: 3990 * 4096 });
    append(3, {});
    expect(tries).to.deep.equal([17, 21, 25]);
  });

  it('are tried again soon beside a reader of what is older, and later again once it has ended', () => {
    const reader = openDatabase(logPath(directory.path), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    append(17, { data: LARGE });
    append(20, { data: LARGE / 10 });
    expect(tries).to.deep.equal([17, 25, 33]);
    expect(inTheFileAlone()).to.equal(0);
    reader.exec('COMMIT');
    reader.close();
    append(20, { data: LARGE / 10 });
    expect(tries).to.deep.equal([17, 25, 33, 41]);
    expect(inTheFileAlone()).to.equal(41);
  });

  for (const errcode of [SQLITE_FULL, SQLITE_IOERR_WRITE]) {
    it(`are tried again soon where the disk takes no page: ${errcode}`, () => {
      fails = errorOf(errcode);
      append(17, { data: LARGE });
      append(7, { data: LARGE / 10 });
      fails = null;
      append(20, { data: LARGE / 10 });
      expect(tries).to.deep.equal([17, 25]);
      expect(inTheFileAlone()).to.equal(25);
    });
  }

  it('end the writing where a sync has failed', () => {
    fails = errorOf(SQLITE_IOERR_FSYNC);
    append(16, { data: LARGE });
    const message = `${logPath(directory.path)} could not be synced: the disk resists; start the service again once the disk is sound`;
    expect(() => {
      append(1, { data: LARGE });
    }).to.throw(message);
  });
});
