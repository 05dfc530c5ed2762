import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { NO_STREAM } from '../../../src/core/event-log.js';
import { eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { metadata, noted } from '../../stores/contracts/event-log-fixture.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { killAll, launch, type Environment } from '../../support/process.js';
import { processes, type Processes } from './processes.js';

/** Until a service says that a server is not there. */
const SAID_MS = 20_000;

onStandIn('mongo-java-server', 'a start over servers is refused', () => {
  let them: Processes;
  before(async () => {
    them = await processes();
    const service = await them.start('all', { PLATFORM_FILE: them.platformFile });
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });
  after(async () => {
    await killAll();
    await them.close();
  });

  const refused = async (env: Environment): Promise<string> => {
    const given = { ...them.env(), ...env };
    const service = launch(given['DATA_DIR']!, given);
    expect(await service.ended, service.stdout()).to.deep.equal({ code: 1, signal: null });
    expect(service.stdout()).not.to.contain('listening');
    return service.stderr();
  };

  it('where the read models are of another log', async () => {
    const database = them.db.databaseName;
    const prefix = `another_${them.stores.prefix}`;
    const foreign = { EVENTSTOREDB_PREFIX: prefix, PLATFORM_FILE: '' };
    const empty = await refused(foreign);
    expect(empty).to.contain(`The database ${database} of MONGODB_URL holds what was made from another log`);
    expect(empty).to.contain('the log is empty');
    const other = await eventStoreDbLog({ connectionString: them.stores.connectionString, prefix });
    await other.append('user-1', NO_STREAM, [noted()], metadata);
    await other.close();
    expect(await refused(foreign)).to.contain('the log is another one');
  });

  it('where something is missing that all processes have to share', async () => {
    const [secretless, logless, mongoless, workerless] = await Promise.all([
      refused({ JWT_SECRET: '' }),
      refused({ EVENTSTOREDB_URL: '' }),
      refused({ MONGODB_URL: '' }),
      refused({ EVENTSTOREDB_URL: '', MONGODB_URL: '', ROLE: 'worker' }),
    ]);
    expect(secretless).to.contain('JWT_SECRET or JWT_SECRET_FILE must be set');
    for (const said of [logless, mongoless]) {
      expect(said).to.contain('EVENTSTOREDB_URL and MONGODB_URL must both be set; one of them is missing');
    }
    expect(workerless).to.contain('ROLE=worker needs EVENTSTOREDB_URL and MONGODB_URL');
  });

  it('where a server is away or says nothing, without a word of its secret', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const timed = async (variable: string, url: string): Promise<void> => {
      const began = performance.now();
      const said = await refused({ [variable]: url });
      expect(performance.now() - began, url).to.be.below(SAID_MS);
      expect(said).to.match(new RegExp(`^The server of ${variable} cannot be used: .*\\S`));
      expect(said).not.to.contain('s3cret').and.not.to.contain('    at ');
    };
    for (const host of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
      await Promise.all([
        timed('EVENTSTOREDB_URL', `esdb://admin:s3cret@${host}?tls=false`),
        timed('MONGODB_URL', `mongodb://admin:s3cret@${host}/ledger?authSource=admin`),
      ]);
    }
    silent.close();
  });
});
