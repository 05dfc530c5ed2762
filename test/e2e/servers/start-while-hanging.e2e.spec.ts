/** A start that applies a platform file as a server stops to answer for a while. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Double, eventStoreDouble } from '../../support/eventstoredb/double.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { withOptions } from '../../support/mongodb/options.js';
import { launch, ready } from '../../support/process.js';
import { targetOf, tcpProxy, through, type TcpProxy } from '../../support/tcp-proxy.js';
import { eventually } from './eventually.js';
import { processes, type Processes } from './processes.js';

const TRACKERS = 40;

/** With so many steps that the application is under way when the server hangs. */
const platform = (shortname: string): string => {
  const tracker = (_: unknown, n: number) => ({
    item_name: `task${n}`,
    label: `Tasks ${n}`,
    fields: [{ name: 'title', label: 'Title', type: 'string' }],
  });
  const trackers = Array.from({ length: TRACKERS }, tracker);
  return JSON.stringify({ projects: [{ shortname, label: shortname, trackers }] });
};

onStandIn('mongo-java-server', 'A start with a platform file', () => {
  let them: Processes;
  let double: Double;
  before(async () => {
    double = await eventStoreDouble();
    them = await processes(double);
    await them.start('worker');
  });
  after(() => them.close());

  const proxies = {
    MongoDB: async () => {
      const proxy = await tcpProxy(targetOf(them.stores.database.url));
      const url = withOptions(through(proxy, them.stores.database.url), 'directConnection=true');
      return { proxy, env: { MONGODB_URL: url } };
    },
    EventStoreDB: async () => {
      const proxy = await tcpProxy(targetOf(double.connectionString));
      return { proxy, env: { EVENTSTOREDB_URL: through(proxy, double.connectionString) } };
    },
  } satisfies Record<string, () => Promise<{ readonly proxy: TcpProxy; readonly env: object }>>;
  const isLeased = async (): Promise<boolean> => {
    const found = await them.db
      .collection<{ _id: string; lease: object | null }>('leases')
      .findOne({ _id: 'platform' });
    return (found?.lease ?? null) !== null;
  };
  const trackersOf = async (project: string): Promise<number> => {
    const events = await them.events();
    const made = events.find(({ data }) => (data as { shortname?: string }).shortname === project);
    const { projectId } = made?.data as { projectId: number };
    return events.filter(({ type, data }) => {
      return type === 'TrackerDefined' && (data as { projectId: number }).projectId === projectId;
    }).length;
  };

  for (const name of ['MongoDB', 'EventStoreDB'] as const) {
    it(`goes on by itself once ${name} answers again, and makes nothing twice`, async () => {
      const { proxy, env } = await proxies[name]();
      const [shortname, given] = [`lab-${name.toLowerCase()}`, them.env()];
      const file = join(them.directory, `${shortname}.json`);
      writeFileSync(file, platform(shortname));
      const api = launch(given['DATA_DIR']!, { ...given, ...env, ROLE: 'api', PLATFORM_FILE: file });
      await eventually('the lease is held', isLeased);
      proxy.hang();
      await api.says(/PLATFORM_FILE is not applied yet, retrying/);
      proxy.goOn();
      const service = await ready(api);
      expect(await trackersOf(shortname)).to.equal(TRACKERS);
      expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
      await proxy.close();
    });
  }
});
