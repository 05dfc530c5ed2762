import { expect } from 'chai';
import { type Db } from 'mongodb';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { operate, overview, type Settings } from '../../src/cli/operate.js';
import { exitStatusOf } from '../../src/cli/outlook.js';
import { readConfig, type Config } from '../../src/config/config.js';
import { controlPath } from '../../src/operations/control-protocol.js';
import { controlServer } from '../../src/operations/control-server.js';
import { type Lease } from '../../src/core/lease.js';
import { createLogger } from '../../src/logging/logger.js';
import { PROJECTION_IDS } from '../../src/composition/server-projections.js';
import { openService, type Service } from '../../src/composition/service.js';
import { mongoFailingWork } from '../../src/stores/mongodb/failing-work.js';
import { lockLeases, projectionLeases } from '../../src/stores/mongodb/leases.js';
import { mongoDatabase, type MongoDatabase } from '../../src/stores/mongodb/connection.js';
import { projectionDocuments } from '../../src/stores/mongodb/projection-documents.js';
import { FAILING } from '../stores/contracts/failing-work.contract.js';
import { until } from '../stores/mongodb/read-models/fixture.js';
import { onStandIn } from '../support/mongodb/for-each-mongodb.js';
import { gateTo } from '../support/mongodb/gate.js';
import { command } from '../support/process.js';
import { serverStores, type ServerStores } from '../support/stores.js';
import { systemClock } from '../../src/config/system-clock.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const QUICK: Partial<Settings> = {
  timing: { lookEvery: 50, firstWord: 300, wordEvery: 500, giveUp: 3000 },
  unattendedMs: 1000,
};

const UNATTENDED = 'A projection has no worker: this command does the work of one until it ends';

onStandIn('mongo-java-server', 'a command over servers', () => {
  let directory: TemporaryDirectory;
  let stores: ServerStores;
  let mongoDb: MongoDatabase;
  let db: Db;
  let said: string[];
  let closes: (() => Promise<unknown>)[];
  beforeEach(async () => {
    directory = await temporaryDirectory();
    stores = await serverStores('mongo-java-server');
    mongoDb = mongoDatabase(stores.database.url);
    ({ db } = mongoDb);
    said = [];
    closes = [];
  });
  afterEach(async () => {
    for (const close of closes.reverse()) await close();
    await mongoDb.close();
    await stores.remove();
    await directory.remove();
  });

  const config = (env: Readonly<Record<string, string>> = {}): Config =>
    readConfig({ LOG_LEVEL: 'silent', ...stores.env, DATA_DIR: directory.path, NODE_ENV: 'test', ...env });
  const settings = (): Partial<Settings> => ({
    ...QUICK,
    config: config(),
    say: (line) => said.push(line),
  });
  const worker = async (): Promise<Service> => {
    const given = config();
    const onFailed = (error: Error): never => {
      throw error;
    };
    const service = await openService({
      ...given,
      role: 'worker',
      clock: systemClock(given),
      logger: createLogger('silent'),
      onFailed,
    });
    closes.push(service.close);
    await service.projections.ready;
    return service;
  };
  /** Has these leases, and does nothing. */
  const idler = async (ids = PROJECTION_IDS.all): Promise<readonly Lease[]> => {
    const leases = projectionLeases(db);
    const held = await Promise.all(ids.map((id) => leases.acquire(id, new AbortController().signal)));
    closes.push(() => Promise.all(held.map((lease) => lease.release())));
    return held;
  };
  const tokens = async (): Promise<readonly number[]> =>
    (await projectionDocuments(db).find().sort({ _id: 1 }).toArray()).map(({ token }) => token);
  const requests = (): Promise<number> => db.collection('requests').countDocuments();
  const PATIENT = { ...QUICK.timing!, giveUp: 20_000 };
  const rebuild = (names: readonly string[], more: Partial<Settings> = {}): Promise<readonly RebuildResult[]> =>
    operate('rebuild', { names }, undefined, { ...settings(), ...more }) as Promise<readonly RebuildResult[]>;
  it('leaves the projections to the workers, and says whose work it does when there are none', async () => {
    const results = await rebuild(['users'], { timing: PATIENT });
    expect(results).to.have.length(1);
    expect(results[0]).to.include({ outcome: 'served', projection: 'users' });
    expect(said.filter((line) => !line.startsWith('Waiting until EventStoreDB')).slice(0, 3)).to.deep.equal([
      'Waiting until each projection has a worker: none for users',
      'Waiting until each projection has a worker: none for users',
      UNATTENDED,
    ]);
    expect(await requests()).to.equal(0);
  });

  it('does the work of a worker where those of another release leave a projection to nobody', async () => {
    await idler(PROJECTION_IDS.all.filter((id) => !id.startsWith('users')));
    expect((await rebuild(['users'], { timing: PATIENT }))[0]).to.include({ outcome: 'served', projection: 'users' });
    expect(said).to.include(UNATTENDED);
  });

  it('lists all that an application has changed in one run, if there is no worker', async () => {
    const user = { username: 'ann', email: 'ann@example.org', password: 'a long password' };
    const applied = (name: string): Promise<unknown> => {
      const file = { users: [{ ...user, real_name: name }], projects: [{ shortname: 'garden', label: name }] };
      const input = { file, prune: false, force: false, env: {} };
      return operate('apply', input, undefined, { ...settings(), timing: PATIENT });
    };
    await applied('One');
    said = [];
    expect(await applied('Other')).to.deep.equal({
      steps: ['rename user ann: Other <ann@example.org>', 'rename project garden: Other'],
    });
    expect(said.filter((line) => line === UNATTENDED)).to.have.length(1);
  });

  it('takes no lease from workers that are away for a while', async () => {
    const held = await idler();
    const before = await tokens();
    const exported = operate('export', {}, undefined, { ...settings(), timing: PATIENT, unattendedMs: 30_000 });
    for (const lease of held) await lease.release();
    await until(() => said.some((line) => line.startsWith('Waiting until each projection has a worker')));
    expect(await tokens()).to.deep.equal(before);
    await worker();
    expect(await exported).to.be.an('object');
  });

  it('that needs what the read models do not reflect says so, and ends', async () => {
    await idler();
    const refusal = await refusalOf(operate('export', {}, undefined, settings()));
    const words = said.find((line) => line.startsWith('Waiting until the read models'));
    expect(words).to.match(/^Waiting until the read models are as far as the log: artifacts: /);
    expect(refusal).to.match(/^No progress for 3 s while waiting until the read models are as far as the log: /);
    expect(refusal).to.contain('users: ');
  });

  it('that waits for its turn names the command of another process that it waits for', async () => {
    await worker();
    const lease = await lockLeases(db).acquire('platform', new AbortController().signal);
    closes.push(() => lease.release());
    const waiting = 'until export is done: another process applies, plans or exports a platform file';
    expect(await refusalOf(operate('export', {}, undefined, settings()))).to.equal(
      `No progress for 3 s while waiting ${waiting}`,
    );
    expect(said).to.include(`Waiting ${waiting}`);
    await lease.release();
    said = [];
    expect(await operate('export', {}, undefined, settings())).to.be.an('object');
    expect(said).not.to.include(`Waiting ${waiting}`);
  });

  it('that has a rebuild done does not wait for what it is to mend, and ends if no worker begins it', async () => {
    await idler();
    const refused = refusalOf(rebuild(['users']));
    await until(async () => (await requests()) === 1);
    expect(await refused).to.match(/^No progress for 3 s while waiting until rebuild is done/);
    expect(await requests()).to.equal(0);
  });

  it('reports that the servers do not answer, and ends', async () => {
    const gate = await gateTo(stores.database.url);
    gate.hold();
    const by = config({ MONGODB_URL: gate.url });
    const began = performance.now();
    for (const command of ['rebuild', 'export', 'overview']) {
      said = [];
      const given = { ...settings(), config: by };
      const work = command === 'overview' ? overview(given) : operate(command, { names: [] }, undefined, given);
      expect(await refusalOf(work), command).to.equal(
        'No progress for 3 s while waiting until EventStoreDB and MongoDB answer',
      );
      expect(said[0], command).to.equal('Waiting until EventStoreDB and MongoDB answer');
    }
    expect(performance.now() - began).to.be.below(18_000);
    await gate.shut();
  });

  it('goes on waiting for a rebuild while MongoDB does not answer it', async () => {
    await worker();
    const gate = await gateTo(stores.database.url);
    const by = config({ MONGODB_URL: gate.url });
    const rebuilding = rebuild(['artifacts', 'users'], { config: by, timing: PATIENT });
    await until(async () => (await requests()) > 0);
    await gate.shut();
    expect(await requests()).to.be.above(0);
    await until(async () => (await db.collection('requests').countDocuments({ answer: null })) === 0);
    await until(() => said.some((line) => line.includes('The read models do not answer')));
    await gate.open();
    expect((await rebuilding).map(({ outcome }) => outcome)).to.deep.equal(['served', 'served']);
  });

  it('that shows the status lists the interrupted work that fails, as the worker has told', async () => {
    await mongoFailingWork(db).publish({ count: 3, items: [FAILING] });
    const env = { ...stores.env, DATA_DIR: directory.path, NODE_ENV: 'test' };
    const { stdout } = await command(['status'], env);
    expect(stdout.split('\n').filter((line) => line.startsWith('interrupted work'))).to.deep.equal([
      'interrupted work: links artifact-7 fails since 2026-11-22T10:00:00.000Z, tries: 2; ' +
        'next try 2026-11-22T10:01:00.000Z; artifact-7 resists',
      'interrupted work: 2 more fail',
    ]);
  });

  it('reports no worker once the lease of a killed one has run out', async () => {
    await worker();
    const states = async (): Promise<readonly (true | undefined)[]> =>
      (await overview(settings())).projections.map(({ isUnattended }) => isUnattended);
    expect(new Set(await states())).to.deep.equal(new Set([undefined]));
    expect(exitStatusOf((await overview(settings())).projections)).to.equal(0);
    for (const close of closes.splice(0)) await close();
    const lease = { holder: 'killed', expiresAt: new Date(Date.now() - 1) };
    await projectionDocuments(db).updateMany({}, { $set: { lease } });
    expect(new Set(await states())).to.deep.equal(new Set([true]));
    expect(exitStatusOf((await overview(settings())).projections)).to.equal(2);
  });
});

describe('a command to a service that hangs', () => {
  let directory: TemporaryDirectory;
  let server: Awaited<ReturnType<typeof controlServer>>;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const never = (): Promise<unknown> => new Promise(() => undefined);
    const commands = { apply: never, rebuild: never, export: never, overview: never, status: never };
    server = await controlServer(controlPath(directory.path), commands);
  });
  afterEach(async () => {
    await server.close();
    await directory.remove();
  });

  it('reports that it waits for its answer, and ends with what the service may still do', async () => {
    const config = readConfig({ LOG_LEVEL: 'silent', DATA_DIR: directory.path, NODE_ENV: 'test' });
    const until = `until the service of ${controlPath(directory.path)} has answered`;
    const afterwards = new Map([
      ['apply', '. The service may complete the change that is under way, and begins no other: apply the file again'],
      ['rebuild', '. A rebuild that has begun goes on'],
      ['export', ''],
      ['overview', ''],
    ]);
    for (const [command, rest] of afterwards) {
      const said: string[] = [];
      const given = { ...QUICK, config, say: (line: string) => said.push(line) };
      const work = command === 'overview' ? overview(given) : operate(command, {}, undefined, given);
      expect(await refusalOf(work), command).to.equal(`No progress for 3 s while waiting ${until}${rest}`);
      expect(said[0], command).to.equal(`Waiting ${until}`);
    }
  });
});

async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
