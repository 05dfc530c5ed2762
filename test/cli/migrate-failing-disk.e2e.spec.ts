/** A migration into a data directory whose disk fails, or is full. */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { directoryBlobStore } from '../../src/stores/filesystem/blob-store.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { openLogForWriting } from '../../src/stores/sqlite/event-log/file.js';
import { fill, notes } from '../migration/migration-fixture.js';
import { compiled } from '../support/build.js';
import { eventStoreDouble, type Double } from '../support/eventstoredb/double.js';
import { failingSync } from '../support/failing-disk.js';
import { freshDatabase, onStandIn, type FreshDatabase } from '../support/mongodb/for-each-mongodb.js';
import { needsProgram } from '../support/needs-program.js';
import { command, killAll, run, type Environment } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const LONG = 240_000;
const EVENTS = 400;
/** More than the making of the table writes ahead. */
const SOME_BYTES = 100_000;
const migrate = (from: 'embedded' | 'production'): readonly string[] => [
  'migrate',
  ...['--from', from],
  ...['--to', from === 'embedded' ? 'production' : 'embedded'],
];

onStandIn('mongo-java-server', 'tracker-ledger migrate to a disk', ({ url }) => {
  let directory: TemporaryDirectory;
  let double: Double;
  let database: FreshDatabase;
  let env: Environment;
  before(async () => {
    directory = await temporaryDirectory();
    double = await eventStoreDouble();
    database = freshDatabase(url());
    const servers = {
      EVENTSTOREDB_URL: double.connectionString,
      MONGODB_URL: database.url,
      JWT_SECRET: 'x'.repeat(40),
    };
    mkdirSync(place('old'));
    const log = await sqliteEventLog(place('old'));
    await fill({ log, blobs: await directoryBlobStore(place('blobs'), () => new Date()) }, notes(EVENTS));
    await log.close();
    expect(await command(migrate('embedded'), { ...servers, DATA_DIR: place('old') })).to.include({ code: 0 });
    env = servers;
  });
  after(async () => {
    await killAll();
    double.stop();
    await database.drop();
    await directory.remove();
  });

  const place = (name: string): string => join(directory.path, name);
  const completed = async (dataDir: string): Promise<void> => {
    const { code, stdout } = await command(migrate('production'), { ...env, DATA_DIR: dataDir });
    expect(stdout).to.match(/\nBoth sides hold the same\n$/);
    expect(code).to.equal(0);
    expect(existsSync(join(dataDir, 'migrating.json'))).to.equal(false);
  };

  needsProgram('cc', 'tracker-ledger migrate, when a sync fails', () => {
    it('ends with 1 and the reason when a sync fails', async () => {
      const [dataDir, marker] = [place('failing'), place('fails')];
      const failing = failingSync(directory.path, '/log.sqlite-wal', marker);
      const running = run(migrate('production'), { ...env, ...failing, DATA_DIR: dataDir });
      const written = (): number => statSync(join(dataDir, 'log.sqlite-wal'), { throwIfNoEntry: false })?.size ?? 0;
      while (written() < SOME_BYTES && running.child.exitCode === null) await sleep(1);
      writeFileSync(marker, '');
      expect(await running.ended).to.include({ code: 1 });
      expect(running.stderr()).to.contain(
        `DATA_DIR ${dataDir} takes no more events: A commit to ${dataDir}/log.sqlite failed`,
      );
      expect(running.stderr()).to.match(/ Once the cause is removed, the same command goes on where it was\n$/);
      rmSync(marker);
      await completed(dataDir);
    }).timeout(LONG);

    it('keeps its mark while the last events cannot be synced, although they can be read', async () => {
      const [dataDir, cut, marker] = [place('whole'), place('cut'), place('fails')];
      await completed(dataDir);
      // As a process leaves it that has ended because its last commit was not synced.
      const writer = openLogForWriting(dataDir);
      writer.exec(`UPDATE events SET stream = stream WHERE position = ${EVENTS}`);
      mkdirSync(cut);
      for (const name of ['log.sqlite', 'log.sqlite-wal']) copyFileSync(join(dataDir, name), join(cut, name));
      writer.close();
      expect(readFileSync(join(cut, 'log.sqlite-wal'))).to.not.have.length(0);

      const failing = failingSync(directory.path, '/log.sqlite-wal', marker);
      writeFileSync(marker, '');
      const { code, stdout, stderr } = await command(migrate('production'), { ...env, ...failing, DATA_DIR: cut });
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr).to.contain(`DATA_DIR ${cut} takes no more events: disk I/O error. Once `);
      expect(existsSync(join(cut, 'migrating.json'))).to.equal(true);
      rmSync(marker);
      await completed(cut);
    }).timeout(LONG);
  });

  it('names the directory, and goes on once there is room', async () => {
    const dataDir = place('full');
    const program = [process.execPath, compiled('src/cli/tracker-ledger.js'), ...migrate('production')];
    const limited = promisify(execFile)('bash', ['--norc', '-c', 'ulimit -f 128; exec "$0" "$@"', ...program], {
      env: { PATH: process.env['PATH'], ...env, DATA_DIR: dataDir },
    });
    const { code, stderr } = await limited.then(
      () => expect.fail('It ended with 0'),
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect(code).to.equal(1);
    expect(stderr).to.contain(`DATA_DIR ${dataDir} takes no more events: `);
    expect(stderr).to.match(/ Once the cause is removed, the same command goes on where it was\n$/);
    await completed(dataDir);
  }).timeout(LONG);
});
