import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PREFIX } from '../../support/eventstoredb/opened.js';
import {
  secrets,
  securedDouble,
  USER,
  way,
  type Secrets,
  type SecuredDouble,
} from '../../support/eventstoredb/secured.js';
import { freshDatabase, onStandIn, type FreshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { command, killAll, launch, ready, type Environment, type Running } from '../../support/process.js';
import { TEST_JWT_SECRET } from '../../support/stores.js';
import { targetOf } from '../../support/tcp-proxy.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { tlsProxy, type TlsProxy } from '../../support/tls-proxy.js';
import { bugs, namesIn } from './processes.js';

/** Until a service says that a server does not let it in. */
const SAID_MS = 20_000;

onStandIn('mongo-java-server', 'a service whose connection strings ask for TLS', ({ url }) => {
  let files: Secrets;
  let directory: TemporaryDirectory;
  let eventStoreDb: SecuredDouble;
  let database: FreshDatabase;
  let mongoDb: TlsProxy;
  let started = 0;

  before(async () => {
    [files, directory] = await Promise.all([secrets(), temporaryDirectory()]);
    database = freshDatabase(url());
    eventStoreDb = await securedDouble(files);
    mongoDb = await tlsProxy(targetOf(url()), await files.authority.issued('127.0.0.1'));
  });
  after(async () => {
    await killAll();
    mongoDb.close();
    eventStoreDb.double.stop();
    await Promise.all([database.drop(), files.remove(), directory.remove()]);
  });

  /** As the service is told in production: by files that nobody else can read. */
  const told = (texts: { readonly eventStoreDb?: string; readonly mongoDb?: string } = {}): Environment => {
    const own = join(directory.path, `process-${(started += 1)}`);
    const kept = (name: string, text: string): string => {
      writeFileSync(`${own}-${name}`, `${text}\n`, { mode: 0o600 });
      return `${own}-${name}`;
    };
    return {
      DATA_DIR: own,
      NODE_ENV: 'test',
      EVENTSTOREDB_URL_FILE: kept('eventstoredb', texts.eventStoreDb ?? eventStoreDb.connectionString),
      EVENTSTOREDB_PREFIX: PREFIX,
      MONGODB_URL_FILE: kept('mongodb', texts.mongoDb ?? overTls(files.trusted)),
      JWT_SECRET: TEST_JWT_SECRET,
    };
  };

  const overTls = (caFile: string): string => {
    const { pathname } = new URL(database.url);
    const options = `directConnection=true&tls=true&tlsCAFile=${encodeURIComponent(caFile)}`;
    return `mongodb://127.0.0.1:${mongoDb.port}${pathname}?${options}`;
  };

  const expectNoSecret = ({ stdout, stderr }: Pick<Running, 'stdout' | 'stderr'>): void => {
    const text = `${stdout()}\n${stderr()}`;
    for (const secret of [USER.password, encodeURIComponent(USER.password), 'wr@ng', 'wr%40ng']) {
      expect(text).not.to.contain(secret);
    }
    expect(text).not.to.contain('esdb:').and.not.to.contain('mongodb:');
  };

  it('stores an artifact and reads it back, after another start too', async () => {
    const env = told();
    const first = await ready(launch(env['DATA_DIR']!, env));
    const id = await bugs(await namesIn(first)).created(first, 'Told in confidence');
    const { body } = await first.get(`/artifacts/${id}`, { as: 'alice' });
    expect(body.title).to.equal('Told in confidence');
    expect(await first.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });

    const second = await ready(launch(env['DATA_DIR']!, { ...env, PLATFORM_FILE: '' }));
    expect((await second.get(`/artifacts/${id}`, { as: 'alice' })).body.title).to.equal('Told in confidence');
    const status = await command(['status'], env);
    expect(status.code, status.stderr).to.equal(0);
    await second.kill('SIGTERM');

    for (const service of [first, second]) expectNoSecret(service);
    expectNoSecret({ stdout: () => status.stdout, stderr: () => status.stderr });
    expect(eventStoreDb.double.log.entries.some(({ type }) => type === 'ArtifactSubmitted')).to.equal(true);
    expect(mongoDb.greeted()).to.be.above(0);
  });

  const refused = async (env: Environment): Promise<string> => {
    const began = performance.now();
    const service = launch(env['DATA_DIR']!, env);
    expect(await service.ended, service.stdout()).to.deep.equal({ code: 1, signal: null });
    expect(performance.now() - began).to.be.below(SAID_MS);
    expect(service.stdout()).not.to.contain('listening');
    expectNoSecret(service);
    // Not a word of Node about IP addresses in place of names.
    return service.stderr().replaceAll(/^\(.*\n/gm, '');
  };

  it('does not start if EventStoreDB rejects its credentials, and logs one line with the reason', async () => {
    const hosts = `127.0.0.1:${eventStoreDb.double.port}`;
    const { trusted, foreign } = files;
    const [wrong, nobody, stranger, plain, misspelt] = await Promise.all([
      refused(told({ eventStoreDb: way({ hosts, caFile: trusted, user: { ...USER, password: 'wr@ng' } }) })),
      refused(told({ eventStoreDb: way({ hosts, caFile: trusted, user: null }) })),
      refused(told({ eventStoreDb: way({ hosts, caFile: foreign }) })),
      refused(told({ eventStoreDb: way({ hosts, tls: false }) })),
      refused(told({ eventStoreDb: `${way({ hosts })}&tlsCaFle=${trusted}` })),
    ]);
    expect(wrong).to.equal(
      'The server of EVENTSTOREDB_URL cannot be used: ' +
        'EventStoreDB does not accept the user name or the password: 16 UNAUTHENTICATED: Unauthenticated\n',
    );
    expect(nobody).to.match(
      /^The server of EVENTSTOREDB_URL .* requires a user name and a password in EVENTSTOREDB_URL: .*\n$/,
    );
    expect(stranger).to.match(/^The server of EVENTSTOREDB_URL .*certificate.* It was asked over TLS\n$/);
    expect(plain).to.match(/^The server of EVENTSTOREDB_URL .* It was asked without TLS, because of tls=false\n$/);
    expect(misspelt).to.match(/^The server of EVENTSTOREDB_URL .* no option tlsCaFle, but .*\n$/);
  });

  it('does not start with an untrusted certificate of MongoDB', async () => {
    const greeted = mongoDb.greeted();
    expect(await refused(told({ mongoDb: overTls(files.foreign) }))).to.match(
      /^The server of MONGODB_URL cannot be used: .*certificate.*\n$/,
    );
    expect(mongoDb.greeted()).to.equal(greeted);
  });
});
