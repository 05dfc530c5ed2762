/** What an operator reads when SQLite cannot open a file: which one, why, and what to do. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM } from '../../../src/core/event-log.js';
import { logNotifications } from '../../../src/stores/shared/log-notifications.js';
import { openDatabase } from '../../../src/stores/sqlite/connection.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { openLogForReading, openLogForWriting } from '../../../src/stores/sqlite/event-log/file.js';
import { logReader } from '../../../src/stores/sqlite/event-log/reader.js';
import { sqliteReadModels } from '../../../src/stores/sqlite/read-models/reader.js';
import { sqliteReadModelStore } from '../../../src/stores/sqlite/read-models/writer.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { metadata, noted, rejection } from '../contracts/event-log-fixture.js';

type Fault = (file: string) => void;

const garbled: Fault = (file) => {
  writeFileSync(file, 'no database '.repeat(1000));
};
const truncated: Fault = (file) => {
  truncateSync(file, 6000);
};
const emptied: Fault = (file) => {
  const database = openDatabase(file);
  database.exec('DROP TABLE events');
  database.close();
};
const outOfReach: Fault = (file) => {
  rmSync(file);
  symlinkSync(join(file, 'missing', 'file'), file);
};

describe('a file of SQLite that cannot be opened', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => directory.remove());

  /** A directory with a faulty copy of the file, to which no connection is open. */
  const faulty = (name: string, fault: Fault): string => {
    const file = join(directory.path, name);
    const database = openDatabase(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const copy = join(directory.path, 'copy');
    mkdirSync(copy);
    copyFileSync(file, join(copy, name));
    fault(join(copy, name));
    return copy;
  };

  for (const [title, fault, reason, remedy] of [
    ['is no database', garbled, 'file is not a database', 'stop the service and check its disk'],
    ['is cut off', truncated, 'database disk image is malformed', 'restore the file from a back-up'],
    ['lacks its table', emptied, 'no such table: events', 'restore the file from a back-up'],
    ['is out of reach', outOfReach, 'unable to open database file', 'must be able to write file and directory'],
  ] as const) {
    it(`is named with the reason and the remedy if it is a log that ${title}`, async () => {
      const log = await sqliteEventLog(directory.path);
      const events = Array.from({ length: 100 }, (_, index) => noted({ text: `${index} `.repeat(100) }));
      await log.append('note-1', NO_STREAM, events, metadata);
      await log.close();
      const copy = faulty('log.sqlite', fault);

      const written = String(await rejection(sqliteEventLog(copy)));
      const read = String(await rejection(Promise.resolve().then(() => logReader(copy, logNotifications()))));
      for (const message of [written, read]) {
        expect(message).to.include(`The event log ${join(copy, 'log.sqlite')} cannot be opened (`);
        expect(message).to.include(reason).and.include(remedy);
      }
    });
  }

  for (const [title, fault, reason, remedy] of [
    [
      'is no database',
      garbled,
      'file is not a database',
      'remove this directory: the next start fills them from the log',
    ],
    ['is cut off', truncated, 'database disk image is malformed', 'remove this directory'],
    ['is out of reach', outOfReach, 'unable to open database file', 'must be able to write file and directory'],
  ] as const) {
    it(`is named with the reason and the remedy if it is one of read models that ${title}`, () => {
      sqliteReadModelStore(directory.path).close();
      const copy = faulty('read-models.sqlite', fault);

      for (const open of [sqliteReadModels, sqliteReadModelStore]) {
        expect(() => open(copy))
          .to.throw(`The read models in ${copy} cannot be opened (`)
          .with.property('message')
          .that.includes(reason)
          .and.includes(remedy);
      }
    });
  }

  it('is refused at once if it is a log that the process may not write', async () => {
    await (await sqliteEventLog(directory.path)).close();
    const copy = faulty('log.sqlite', (file) => {
      chmodSync(file, 0o400);
    });
    asOwnerOf(copy, () => {
      expect(() => openLogForWriting(copy)).to.throw(
        `The event log ${join(copy, 'log.sqlite')} cannot be opened (attempt to write a readonly database); ` +
          'the service must be able to write file and directory',
      );
      openLogForReading(copy).close();
    });
  });
});

/** Root may write every file: for as long as the work lasts, the process is another user, who owns the directory. */
function asOwnerOf(path: string, work: () => void): void {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || seteuid === undefined) {
    work();
    return;
  }
  const OTHER = 65534;
  for (const each of [dirname(path), path, ...readdirSync(path).map((name) => join(path, name))]) {
    chownSync(each, OTHER, OTHER);
  }
  seteuid(OTHER);
  try {
    work();
  } finally {
    seteuid(0);
  }
}
