import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { failedIn, makeClone, shell, started } from '../support/clone.js';
import { onStandIn } from '../support/mongodb/for-each-mongodb.js';
import { command, PLATFORM_FILE } from '../support/process.js';
import { scriptOf } from '../support/shell-blocks.js';
import { serverStores, TEST_JWT_SECRET, type ServerStores } from '../support/stores.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

onStandIn('mongo-java-server', 'the blocks of the documentation for servers', () => {
  let directory: TemporaryDirectory;
  let stores: ServerStores;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    stores = await serverStores('mongo-java-server');
    makeClone(directory.path);
    writeFileSync(at('jwt'), TEST_JWT_SECRET);
  });
  afterEach(async () => {
    await stores.remove();
    await directory.remove();
  });

  const at = (name: string): string => join(directory.path, name);
  const prefixed = () => ({ EVENTSTOREDB_PREFIX: stores.prefix });
  /** With the places of this machine for those of the documentation, each of which has to be there. */
  const placed = (label: string, places: Readonly<Record<string, string>>): string =>
    Object.entries(places).reduce((script, [named, place]) => {
      expect(script).to.include(named);
      return script.replaceAll(named, place);
    }, scriptOf(label));

  it('start the service over EventStoreDB and MongoDB', async () => {
    const script = placed('servers', {
      'esdb://ledger:…@log.example.org:2113?tls=true': stores.connectionString,
      'mongodb://ledger:…@models.example.org/ledger?tls=true&replicaSet=rs0': stores.database.url,
      '/run/secrets/jwt': at('jwt'),
      'platform.yaml': PLATFORM_FILE,
    });
    const said = await started(script, directory.path, { ...prefixed(), DATA_DIR: at('data') });
    expect(said).to.include(`"prefix":"${stores.prefix}"`).and.to.include('"msg":"stopped"');
  });

  it('move a service to the servers, and back', async () => {
    const dataDir = at('data');
    expect(await command(['platform', 'apply', PLATFORM_FILE], { DATA_DIR: dataDir })).to.include({ code: 0 });
    const script = placed('migrate', {
      '/var/lib/tracker-ledger': dataDir,
      'EVENTSTOREDB_URL=…': `EVENTSTOREDB_URL='${stores.connectionString}'`,
      'MONGODB_URL=…': `MONGODB_URL='${stores.database.url}'`,
      'JWT_SECRET_FILE=…': `JWT_SECRET_FILE=${at('jwt')}`,
    });
    const { stdout, stderr, ended } = shell(script, directory.path, prefixed());
    await ended;
    expect(failedIn(stderr()), stderr()).to.deep.equal([]);
    expect(stdout().match(/^Both sides hold the same$/gm)).to.have.length(2);
  });
});
