import { expect } from 'chai';
import { eventStoreDbLog } from '../../src/stores/eventstoredb/event-log.js';
import { type Double, eventStoreDouble } from './eventstoredb/double.js';
import { onStandIn } from './mongodb/for-each-mongodb.js';
import { withOptions } from './mongodb/options.js';
import { serverStores, type ServerStores } from './stores.js';

const VARIABLES = ['TEST_STORES', 'EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL'];

onStandIn('mongo-java-server', 'the stores of a service under test', ({ url }) => {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  let double: Double;
  let opened: ServerStores[];
  beforeEach(async () => {
    double = await eventStoreDouble();
    opened = [];
  });
  afterEach(async () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    for (const stores of opened) await stores.remove();
    double.stop();
  });

  const open = async (named: Readonly<Record<string, string>>): Promise<ServerStores> => {
    for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, named);
    const stores = await serverStores('mongo-java-server');
    opened.push(stores);
    return stores;
  };
  const named = () => ({
    EVENTSTOREDB_TEST_URL: double.connectionString,
    MONGODB_TEST_URL: withOptions(url(), 'appName=named'),
  });
  const placeOf = ({ env }: ServerStores) => {
    const { host, searchParams } = new URL(env['MONGODB_URL']!);
    return [env['EVENTSTOREDB_URL'], host, searchParams.get('appName')];
  };

  it('are on the servers that are named, with names of their own there', async () => {
    const all = [
      await open({ ...named(), TEST_STORES: 'servers' }),
      await open({ ...named(), TEST_STORES: 'servers' }),
    ];
    for (const stores of all) {
      expect(placeOf(stores)).to.deep.equal([double.connectionString, new URL(url()).host, 'named']);
    }
    for (const name of ['EVENTSTOREDB_PREFIX', 'MONGODB_URL']) {
      expect(new Set(all.map(({ env }) => env[name])).size, name).to.equal(2);
    }
  });

  it('leave a server that was named running', async () => {
    const stores = await open({ ...named(), TEST_STORES: 'servers' });
    await stores.remove();
    opened = [];
    const log = await eventStoreDbLog(stores);
    expect(await log.end()).to.equal(null);
    await log.close();
  });

  it('are stand-ins in the place of a server that is not named', async () => {
    const { MONGODB_TEST_URL, EVENTSTOREDB_TEST_URL } = named();
    const [eventStore, , options] = placeOf(await open({ TEST_STORES: 'servers', MONGODB_TEST_URL }));
    expect(eventStore).not.to.equal(double.connectionString);
    expect(options).to.equal('named');
    const other = await open({ TEST_STORES: 'servers', EVENTSTOREDB_TEST_URL });
    expect(placeOf(other)).to.deep.equal([double.connectionString, new URL(url()).host, 'specs']);
  });

  it('are stand-ins, although servers are named, unless TEST_STORES asks for the servers', async () => {
    const [eventStore, , options] = placeOf(await open({ ...named(), TEST_STORES: 'mongo-java-server' }));
    expect(eventStore).not.to.equal(double.connectionString);
    expect(options).to.equal('specs');
  });
});
