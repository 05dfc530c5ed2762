import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../../src/config/config.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const JWT_SECRET = 'a'.repeat(32);
const EVENTSTOREDB_URL = 'esdb+discover://ledger:hush@store.example.org:2113?tls=true';
const MONGODB_URL = 'mongodb://ledger:hush@a.example.org,b.example.org/ledger?replicaSet=rs0';

describe('configuration of servers', () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => directory.remove());

  const faults = (env: Record<string, string>): string => {
    try {
      readConfig(env);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    throw new Error('was not refused');
  };

  it('takes both URLs, and a role', () => {
    const { servers, role } = readConfig({
      EVENTSTOREDB_URL,
      MONGODB_URL,
      JWT_SECRET,
      EVENTSTOREDB_PREFIX: 'other.',
      FILES_DIR: '/files',
      ROLE: 'worker',
    });
    expect(role).to.equal('worker');
    expect(servers).to.deep.equal({
      eventStoreDbUrl: EVENTSTOREDB_URL,
      mongoDbUrl: MONGODB_URL,
      prefix: 'other.',
      filesDir: '/files',
    });
  });

  it('reads URLs, which open the door, from files too', async () => {
    const [log, models] = [join(directory.path, 'log-url'), join(directory.path, 'models-url')];
    await writeFile(log, `${EVENTSTOREDB_URL}\n`);
    await writeFile(models, `${MONGODB_URL}\n`);
    const { servers } = readConfig({ EVENTSTOREDB_URL_FILE: log, MONGODB_URL_FILE: models, JWT_SECRET });
    expect(servers).to.include({ eventStoreDbUrl: EVENTSTOREDB_URL, mongoDbUrl: MONGODB_URL, prefix: 'ledger.' });
    expect(faults({ EVENTSTOREDB_URL, EVENTSTOREDB_URL_FILE: log, MONGODB_URL, JWT_SECRET })).to.include(
      'EVENTSTOREDB_URL and EVENTSTOREDB_URL_FILE are both set',
    );
    expect(faults({ EVENTSTOREDB_URL_FILE: join(directory.path, 'none'), MONGODB_URL, JWT_SECRET })).to.include(
      'EVENTSTOREDB_URL_FILE cannot be read',
    );
  });

  it('demands one URL with the other, and a secret that all processes share', () => {
    expect(faults({ EVENTSTOREDB_URL, JWT_SECRET })).to.include('must both be set');
    expect(faults({ MONGODB_URL, JWT_SECRET })).to.include('must both be set');
    expect(faults({ EVENTSTOREDB_URL, MONGODB_URL })).to.include('JWT_SECRET');
  });

  it('refuses what only servers have, where there are none', () => {
    expect(faults({ ROLE: 'api' })).to.include(
      'ROLE=api needs EVENTSTOREDB_URL and MONGODB_URL; without servers, unset ROLE',
    );
    expect(faults({ ROLE: 'both' })).to.include('ROLE must be one of all, api, worker');
    expect(faults({ FILES_DIR: '/files' })).to.include('FILES_DIR');
  });

  it('refuses reading processes with servers, and names what takes their place', () => {
    const given = { EVENTSTOREDB_URL, MONGODB_URL, JWT_SECRET };
    const message = 'WORKERS is only for the embedded service; with servers, start more processes with ROLE=api';
    expect(faults({ ...given, WORKERS: '1' })).to.include(message);
    expect(faults({ WORKERS: '1', ROLE: 'api' })).to.include(message);
    expect(readConfig({ ...given, WORKERS: '0' }).workers).to.equal(0);
  });

  it('refuses a prefix that would not tell our streams from those of others', () => {
    const refused = (prefix: string) =>
      faults({ EVENTSTOREDB_URL, MONGODB_URL, JWT_SECRET, EVENTSTOREDB_PREFIX: prefix });
    for (const prefix of ['ledger', '.', 'led-ger.', 'led ger.', '$ledger.', `${'l'.repeat(64)}.`]) {
      expect(refused(prefix), prefix).to.include(
        'EVENTSTOREDB_PREFIX must be a word that ends in ".", without "-", and must not begin with "$"',
      );
    }
  });

  it('refuses other schemes and prefixes, without repeating a secret', () => {
    const message = faults({
      EVENTSTOREDB_URL: 'https://admin:hush@store',
      MONGODB_URL: 'postgres://admin:hush@models',
      EVENTSTOREDB_PREFIX: '$ledger-',
      JWT_SECRET,
    });
    expect(message).to.include('EVENTSTOREDB_URL').and.include('MONGODB_URL').and.include('EVENTSTOREDB_PREFIX');
    expect(message).to.not.include('hush');
  });
});
