import { expect } from 'chai';
import { eventStoreDouble } from '../../support/eventstoredb/double.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { PLATFORM_FILE } from '../../support/process.js';
import { targetOf, tcpProxy, through, type TcpProxy } from '../../support/tcp-proxy.js';
import { processes, type Processes } from './processes.js';

onStandIn('mongo-java-server', 'While MongoDB hangs', () => {
  let them: Processes;
  let proxy: TcpProxy;
  before(async () => {
    them = await processes(await eventStoreDouble());
    proxy = await tcpProxy(targetOf(them.stores.database.url));
  });
  after(async () => {
    await them.close();
    await proxy.close();
  });

  for (const role of ['all', 'worker'] as const) {
    it(`SIGTERM ends a process with the role ${role} in order`, async () => {
      const url = through(proxy, them.stores.database.url);
      const process = await them.start(role, { PLATFORM_FILE, MONGODB_URL: url });
      proxy.hang();
      try {
        const { code, signal } = await process.kill('SIGTERM');
        expect({ code, signal }).to.deep.equal({ code: 0, signal: null });
        expect(process.stdout()).to.not.match(/"level":60/);
      } finally {
        proxy.goOn();
      }
    });
  }
});
