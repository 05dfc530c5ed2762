import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { NO_STREAM } from '../../../../src/core/event-log.js';
import { Problem } from '../../../../src/core/problem.js';
import { openDatabase } from '../../../../src/stores/sqlite/connection.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { openLogForReading, openLogForWriting } from '../../../../src/stores/sqlite/event-log/file.js';
import { failingSync, fullDisk } from '../../../support/failing-disk.js';
import { needsProgram } from '../../../support/needs-program.js';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/temporary-directory.js';
import { metadata, noted, rejection } from '../../contracts/event-log-fixture.js';

const FROM_SOURCE = ['--import', import.meta.resolve('tsx')];
const PROGRAM = fileURLToPath(new URL('append-until-disk-fails.ts', import.meta.url));

interface Seen {
  readonly answered: number;
  readonly kind: string;
  readonly message: string;
  readonly failures: readonly string[];
}

describe('what the event log on SQLite has written ahead', () => {
  let directory: TemporaryDirectory;
  let other: TemporaryDirectory;

  beforeEach(async () => {
    [directory, other] = [await temporaryDirectory(), await temporaryDirectory()];
  });

  afterEach(async () => {
    await directory.remove();
    await other.remove();
  });

  const whileDiskFails = async (how: typeof failingSync, of: string): Promise<Seen> => {
    const failing = how(other.path, of, join(other.path, 'failing'));
    const command = [...FROM_SOURCE, PROGRAM, directory.path];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: { ...process.env, ...failing } });
    return JSON.parse(stdout) as Seen;
  };

  /** As a power cut leaves it, when nothing beside the file had reached the disk. */
  const inTheFileAlone = (): number => {
    copyFileSync(join(directory.path, 'log.sqlite'), join(other.path, 'log.sqlite'));
    const database = openLogForReading(other.path);
    const { count } = database.prepare("SELECT count(*) AS count FROM events WHERE stream = 'note-1'").get() ?? {};
    database.close();
    return Number(count);
  };

  needsProgram('cc', 'the event log on SQLite, when a sync fails', () => {
    it('is moved into the file before the next process writes, because a sync of it may have failed', async () => {
      const { answered, kind, failures } = await whileDiskFails(failingSync, '/log.sqlite-wal');
      expect([answered, kind]).to.deep.equal([0, 'unavailable']);
      expect(failures).to.have.length(1);
      expect(failures[0]).to.include('may be stored or not');

      const log = await sqliteEventLog(directory.path);
      const { revision } = await log.read('note-1');
      await log.append('note-2', NO_STREAM, [noted()], metadata);
      const moved = inTheFileAlone();
      await log.close();
      expect(revision).to.be.oneOf([answered, answered + 1]);
      expect(moved).to.equal(revision + 1);
    });

    it('ends the thread when the file cannot be synced, and keeps what was answered', async () => {
      const { answered, kind, failures } = await whileDiskFails(failingSync, '/log.sqlite');
      expect(kind).to.equal('unavailable');
      expect(failures).to.have.length(1);
      expect(failures[0]).to.include(`${directory.path}/log.sqlite could not be synced`);

      const log = await sqliteEventLog(directory.path);
      const { revision } = await log.read('note-1');
      await log.append('note-1', revision, [noted()], metadata);
      const moved = inTheFileAlone();
      await log.close();
      expect(revision).to.equal(answered);
      expect(moved).to.equal(revision + 1);
    });
  });

  needsProgram('cc', 'the event log on SQLite, when its disk is full', () => {
    it('refuses what the full disk does not take, says so, and keeps what was answered', async () => {
      const full = { kind: 'unavailable', message: 'The disk of the event log is full: nothing was stored' };
      const seen = await whileDiskFails(fullDisk, '/log.sqlite-wal');
      expect(seen).to.deep.equal({ ...full, answered: 0, failures: [] });
      const log = await sqliteEventLog(directory.path);
      const { revision } = await log.read('note-1');
      await log.close();
      expect(revision).to.equal(0);
    });

    it('goes on while the full disk does not take the checkpoint', async () => {
      const { kind, failures } = await whileDiskFails(fullDisk, '/log.sqlite');
      expect({ kind, failures }).to.deep.equal({ kind: null, failures: [] });
    });
  });

  it('is in the file at the end, although another connection reads the log', async () => {
    const log = await sqliteEventLog(directory.path);
    const reader = openLogForReading(directory.path);
    expect(reader.prepare('SELECT count(*) AS count FROM events').get()).to.deep.equal({ count: 0 });
    await log.append('note-1', NO_STREAM, [noted()], metadata);
    await log.close();
    const moved = inTheFileAlone();
    reader.close();
    expect(moved).to.equal(1);
  });

  it('refuses appends while another process reads what an earlier one has left, and goes on after it', async () => {
    const earlier = openLogForWriting(directory.path);
    earlier.exec("INSERT INTO events VALUES (1, 'note-1', 0, 'a', 'NoteTaken', '{}', '{}', NULL)");
    const reader = openDatabase(join(directory.path, 'log.sqlite'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();

    const log = await sqliteEventLog(directory.path);
    const append = () => log.append('note-2', NO_STREAM, [noted()], metadata);
    const refused = await rejection(append());
    // A statement that is not collected yet would keep the reading open beyond the close.
    reader.exec('COMMIT');
    reader.close();
    const { position } = await append();
    await log.close();
    earlier.close();
    expect(refused).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    expect(position).to.equal('0000000000000002');
  });
});
