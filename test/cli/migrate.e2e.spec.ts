/** The command as a process of its own, between a data directory and stand-ins for the servers. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { idsStream } from '../../src/core/ids.js';
import { FILE_IDS, fileStream } from '../../src/files/file-events.js';
import { directoryBlobStore } from '../../src/stores/filesystem/blob-store.js';
import { lockDataDirectory } from '../../src/stores/sqlite/data-lock.js';
import { logNotifications } from '../../src/stores/shared/log-notifications.js';
import { sqliteEventLog } from '../../src/stores/sqlite/event-log/event-log.js';
import { logReader } from '../../src/stores/sqlite/event-log/reader.js';
import { added, type Deed, facts, fill, kept, notes, uploaded } from '../migration/migration-fixture.js';
import { sha256 } from '../stores/contracts/blob-store.contract.js';
import { eventStoreDouble, type Double } from '../support/eventstoredb/double.js';
import { freshDatabase, onStandIn, type FreshDatabase } from '../support/mongodb/for-each-mongodb.js';
import { command, killAll, PLATFORM_FILE, run, type Environment } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

/** For what starts many processes. */
const LONG = 240_000;
const JWT_SECRET = 'of no use to anybody outside the specs';
const TO_PRODUCTION = ['--from', 'embedded', '--to', 'production'];
const TO_EMBEDDED = ['--from', 'production', '--to', 'embedded'];

describe('tracker-ledger migrate', () => {
  after(killAll);

  it('prints its usage', async () => {
    const help = await command(['migrate', '--help'], {});
    expect(help).to.include({ code: 0, stderr: '' });
    expect(help.stdout).to.match(/^Usage:/);
  }).timeout(LONG);

  it('ends with status 1 without both URLs, and names the variables', async () => {
    const none = await command(['migrate', ...TO_PRODUCTION], {});
    expect(none).to.include({ code: 1, stdout: '' });
    expect(none.stderr).to.match(/^EVENTSTOREDB_URL and MONGODB_URL are not set; migrate needs both/);
    const half = await command(['migrate', ...TO_PRODUCTION], { MONGODB_URL: 'mongodb://127.0.0.1:1/x', JWT_SECRET });
    expect(half.stderr).to.contain('EVENTSTOREDB_URL and MONGODB_URL must both be set');
  }).timeout(LONG);

  it('reports a server that does not answer at once, and can be stopped meanwhile', async () => {
    const nobody = {
      EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
      MONGODB_URL: 'mongodb://127.0.0.1:1/x',
      JWT_SECRET,
    };
    const waiting = run(['migrate', ...TO_EMBEDDED], nobody);
    await waiting.says(/^EventStoreDB: .* ECONNREFUSED 127\.0\.0\.1:1.*; retrying$/m);
    expect(await waiting.kill('SIGTERM')).to.deep.equal({ code: null, signal: 'SIGTERM' });
  }).timeout(LONG);
});

// Each of its commands is a process: what the stores do on other servers, their own specs tell.
onStandIn('mongo-java-server', 'tracker-ledger migrate', ({ url }) => {
  let directory: TemporaryDirectory;
  let double: Double;
  let database: FreshDatabase;
  let servers: Environment;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    double = await eventStoreDouble();
    database = freshDatabase(url());
    servers = { EVENTSTOREDB_URL: double.connectionString, MONGODB_URL: database.url, JWT_SECRET };
  });
  afterEach(async () => {
    await killAll();
    double.stop();
    await database.drop();
    await directory.remove();
  });

  const place = (name: string): string => join(directory.path, name);
  const migrate = (args: readonly string[], dataDir: string, env: Environment = {}) =>
    command(['migrate', ...args], { ...servers, DATA_DIR: place(dataDir), WORKERS: '2', ...env });
  const opened = async (dataDir: string) => {
    const lock = lockDataDirectory(place(dataDir));
    const log = await sqliteEventLog(place(dataDir));
    const blobs = await directoryBlobStore(join(place(dataDir), 'blobs'), () => new Date());
    const close = async (): Promise<void> => {
      await log.close();
      lock.release();
    };
    return { log, blobs, close };
  };
  const filled = async (dataDir: string, done: readonly Deed[]): Promise<void> => {
    const side = await opened(dataDir);
    await fill(side, done);
    await side.close();
  };
  const linesIn = async (dataDir: string): Promise<readonly string[]> => {
    const side = await opened(dataDir);
    const lines = await kept(side);
    await side.close();
    return lines;
  };
  const exported = async (env: Environment): Promise<string> => {
    const { code, stdout, stderr } = await command(['platform', 'export'], env);
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  const withPlatform = async (dataDir: string, file: string): Promise<void> => {
    expect(await command(['platform', 'apply', file], { DATA_DIR: place(dataDir) })).to.include({ code: 0 });
  };
  const wholeFile = (id: number, bytes: string): Deed => {
    const info = { fileId: id, owner: 102, name: 'a', mediaType: 'text/plain', description: '', expected: null };
    const started = { type: 'FileUploadStarted', data: { ...info, fieldId: null } };
    return { stream: fileStream(id), events: [started, added(id, bytes)], metadata: facts(), bytes };
  };
  const SAME = /\nBoth sides hold the same\n$/;

  it('moves a platform and its files to the servers and back, and leaves no older read models in use', async () => {
    await withPlatform('old', PLATFORM_FILE);
    await filled('old', [wholeFile(1, 'one'), wholeFile(2, 'two')]);
    const other = place('other.yaml');
    writeFileSync(other, readFileSync(PLATFORM_FILE, 'utf8').replace('label: Hydra', 'label: Lerna'));
    await withPlatform('new', other);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(place('new'), `log.sqlite${suffix}`), { force: true });
    expect(existsSync(join(place('new'), 'read-models'))).to.equal(true);

    const there = await migrate(TO_PRODUCTION, 'old');
    expect(there).to.include({ code: 0 });
    expect(there.stdout).to.match(SAME);
    const back = await migrate(TO_EMBEDDED, 'new');
    expect(back).to.include({ code: 0 });

    const summary = (text: string) => text.split('\n').slice(1, 5);
    expect(summary(back.stdout)).to.deep.equal(summary(there.stdout));
    expect(await linesIn('new')).to.deep.equal(await linesIn('old'));
    const two = join(place('new'), 'blobs', sha256('two').slice(0, 2), sha256('two').slice(2));
    expect(readFileSync(two, 'utf8')).to.equal('two');
    const platform = await exported({ DATA_DIR: place('old') });
    expect(await exported({ DATA_DIR: place('new') })).to.equal(platform);
    expect(await exported({ ...servers, DATA_DIR: place('none') })).to.equal(platform);
  }).timeout(LONG);

  it('is refused, and makes nothing, while the file system of the files is not mounted', async () => {
    const ids: Deed = {
      stream: idsStream(FILE_IDS),
      events: [{ type: 'IdsReserved', data: { kind: FILE_IDS, from: 101, to: 200 } }],
      metadata: facts(),
      bytes: null,
    };
    await filled('old', [ids, wholeFile(102, 'two')]);
    const blobs = join(place('old'), 'blobs');
    renameSync(blobs, `${blobs}.away`);
    mkdirSync(blobs);
    const refused = await migrate(TO_PRODUCTION, 'old');
    expect(refused).to.include({ code: 1 });
    expect(refused.stderr).to.contain(`${blobs}: the directory of files holds no bytes, but the log names some`);
    expect(readdirSync(blobs)).to.deep.equal([]);
    rmdirSync(blobs);
    renameSync(`${blobs}.away`, blobs);
    expect((await migrate(TO_PRODUCTION, 'old')).stdout).to.match(SAME);
  }).timeout(LONG);

  it('goes on after any end, to the servers and back', async () => {
    await filled('old', [...notes(200), uploaded(1, 'one'), ...notes(200), uploaded(2, 'two'), ...notes(200)]);
    const endedBeyond = async (args: readonly string[], dataDir: string, count: () => number | Promise<number>) => {
      for (const [enough, signal] of [
        [1, 'SIGKILL'],
        [200, 'SIGTERM'],
        [400, 'SIGKILL'],
      ] as const) {
        const running = run(['migrate', ...args], { ...servers, DATA_DIR: place(dataDir) });
        while ((await count()) < enough && running.child.exitCode === null) await sleep(5);
        const { code } = await running.kill(signal);
        expect(code, running.stderr()).to.equal(signal === 'SIGTERM' ? 1 : null);
        if (signal === 'SIGTERM')
          expect(running.stderr()).to.match(/Stopped\. The same command goes on where it was\n$/);
        expect(await count()).to.be.within(enough, 601);
      }
      expect(await migrate(args, dataDir)).to.include({ code: 0 });
    };
    // One entry is the server's own.
    await endedBeyond(TO_PRODUCTION, 'old', () => double.log.entries.length - 1);
    await endedBeyond(TO_EMBEDDED, 'new', () => eventsIn(place('new')));
    expect(await linesIn('new')).to.deep.equal(await linesIn('old'));
  }).timeout(LONG);

  /** Kills the command once the target holds so many events. */
  const killedBeyond = async (
    args: readonly string[],
    dataDir: string,
    enough: number,
    count: () => number | Promise<number>,
  ) => {
    const running = run(['migrate', ...args], { ...servers, DATA_DIR: place(dataDir) });
    while ((await count()) < enough && running.child.exitCode === null) await sleep(5);
    expect(await running.kill('SIGKILL'), running.stderr()).to.deep.equal({ code: null, signal: 'SIGKILL' });
  };
  const refuseIt = async (env: Environment, others: readonly (readonly string[])[], reason: RegExp) => {
    const commands = [['start'], ['status'], ['platform', 'export'], ['platform', 'apply', PLATFORM_FILE], ...others];
    for (const args of commands) {
      const { code, stdout, stderr } = await command(args, { PORT: '0', NODE_ENV: 'test', ...env });
      expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr, args.join(' ')).to.match(reason);
    }
  };

  it('leaves a mark in a directory when it is killed, and no command takes its beginning of a log for the whole', async () => {
    await withPlatform('old', PLATFORM_FILE);
    await filled('old', notes(600));
    expect(await migrate(TO_PRODUCTION, 'old')).to.include({ code: 0 });
    await killedBeyond(TO_EMBEDDED, 'new', 100, () => eventsIn(place('new')));
    const mark = join(place('new'), 'migrating.json');
    const reason = new RegExp(
      `^DATA_DIR \\S+/new may lack the last events of its platform: ${mark} tells of a migration, begun at 20\\S+Z, ` +
        'that has not ended\\. Run "migrate --from production --to embedded" again until its status is 0; or, ',
    );
    // A commit that the kill cut off is whole or gone once the log was open for writing.
    await linesIn('new');
    const stood = await eventsIn(place('new'));
    const fresh = { ...servers, EVENTSTOREDB_PREFIX: 'second.', DATA_DIR: place('new') };
    await refuseIt({ DATA_DIR: place('new') }, [['rebuild'], ['prepare']], reason);
    expect((await command(['migrate', ...TO_PRODUCTION], fresh)).stderr).to.match(reason);
    expect(await eventsIn(place('new'))).to.equal(stood);

    expect(await migrate(TO_EMBEDDED, 'new')).to.include({ code: 0 });
    expect(existsSync(mark)).to.equal(false);
    expect(await exported({ DATA_DIR: place('new') })).to.equal(await exported({ DATA_DIR: place('old') }));
  }).timeout(LONG);

  it('leaves a mark on servers when it is killed, and no process takes their beginning of a log for the whole', async () => {
    await withPlatform('old', PLATFORM_FILE);
    await filled('old', notes(600));
    await killedBeyond(TO_PRODUCTION, 'old', 100, () => double.log.entries.length);
    const reason = new RegExp(
      'The log of EVENTSTOREDB_URL and EVENTSTOREDB_PREFIX may lack the last events of its platform: the database test_\\S+ of ' +
        'MONGODB_URL tells of a migration, begun at 20\\S+Z, that has not ended\\. ' +
        'Run "migrate --from embedded --to production" again until its status is 0; or ',
    );
    const stood = double.log.entries.length;
    await refuseIt({ ...servers, DATA_DIR: place('none') }, [['rebuild']], reason);
    expect((await migrate(TO_EMBEDDED, 'new')).stderr).to.match(reason);
    expect(double.log.entries).to.have.length(stood);

    expect(await migrate(TO_PRODUCTION, 'old')).to.include({ code: 0 });
    expect(await exported({ ...servers, DATA_DIR: place('none') })).to.equal(
      await exported({ DATA_DIR: place('old') }),
    );
  }).timeout(LONG);

  it('refuses a directory that a service has, one without a log, and another log, and writes nothing', async () => {
    await filled('old', notes(3));
    await filled('other', notes(3));
    const lock = lockDataDirectory(place('old'));
    const refused = await migrate(TO_PRODUCTION, 'old');
    expect(refused).to.include({ code: 1 });
    expect(refused.stderr).to.match(/is in use by process \d+/);
    lock.release();

    expect((await migrate(TO_PRODUCTION, 'none')).stderr).to.match(/^DATA_DIR .* holds no log\n$/);
    expect(existsSync(place('none'))).to.equal(false);
    expect(double.log.entries).to.have.length(1);

    expect(await migrate(TO_PRODUCTION, 'old')).to.include({ code: 0 });
    const elsewhere = await migrate(TO_PRODUCTION, 'other', { EVENTSTOREDB_PREFIX: 'second.' });
    expect(elsewhere.stderr).to.match(/The database test_\S+ of MONGODB_URL holds what was made from another log/);
    expect(double.log.entries.filter(({ stream }) => stream.startsWith('second.'))).to.deep.equal([]);
    const before = await linesIn('other');
    expect((await migrate(TO_EMBEDDED, 'other')).stderr).to.match(
      /The target holds another log\. The first difference is/,
    );
    expect(await linesIn('other')).to.deep.equal(before);
  }).timeout(LONG);

  it('ends with 1 where files lack bytes, and names them', async () => {
    await filled('old', [...notes(3), uploaded(7, 'lost')]);
    rmSync(join(place('old'), 'blobs', sha256('lost').slice(0, 2)), { recursive: true });
    const lacking = await migrate(TO_PRODUCTION, 'old');
    expect(lacking).to.include({ code: 1 });
    expect(lacking.stdout).to.match(/\nfile-7: the bytes [0-9a-f]{64} are not in the target\nNOT the same/);
  }).timeout(LONG);

  it('ends with 2 while another process writes to the source', async () => {
    await filled('old', notes(300));
    expect(await migrate(TO_PRODUCTION, 'old')).to.include({ code: 0 });
    const running = run(['migrate', ...TO_EMBEDDED], { ...servers, DATA_DIR: place('new') });
    while ((await eventsIn(place('new'))) < 10) await sleep(5);
    double.foreign('ledger.late-1');
    expect(await running.ended).to.deep.equal({ code: 2, signal: null });
    expect((await command(['status'], { DATA_DIR: place('new') })).stderr).to.contain('that has not ended');
    expect(running.stdout()).to.match(/stop every service, then do this once more\n$/);
    expect((await migrate(TO_EMBEDDED, 'new')).stdout).to.match(SAME);
    expect((await command(['status'], { DATA_DIR: place('new') })).stderr).to.match(/^No service listens on /);
    expect((await linesIn('new')).at(-1)).to.contain('late-1');
  }).timeout(LONG);
});

/** How many events the log of a directory holds so far. */
async function eventsIn(dataDir: string): Promise<number> {
  if (!existsSync(join(dataDir, 'log.sqlite'))) return 0;
  try {
    const reader = logReader(dataDir, logNotifications());
    const end = await reader.end();
    reader.close();
    return end === null ? 0 : Number.parseInt(end, 16);
  } catch (error) {
    // Just being made.
    if (String(error).includes('no such table')) return 0;
    throw error;
  }
}
