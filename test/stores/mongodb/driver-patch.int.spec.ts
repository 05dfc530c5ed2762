import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { mongoDatabase } from '../../../src/stores/mongodb/connection.js';
import { freshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { withOptions } from '../../support/mongodb/options.js';
import { targetOf, tcpProxy, through } from '../../support/tcp-proxy.js';

onStandIn('mongo-java-server', 'the client of MongoDB', ({ url }) => {
  it('finds its server again whenever all connections end at once while they are in use', async () => {
    const database = freshDatabase(url());
    const proxy = await tcpProxy(targetOf(database.url));
    const { db, close } = mongoDatabase(withOptions(through(proxy, database.url), 'directConnection=true'));
    const ask = () => db.collection('something').findOne({});
    await ask();
    proxy.delay(10);
    const ending = new AbortController();
    let answers = 0;
    const asking = Array.from({ length: 20 }, async () => {
      while (!ending.signal.aborted) {
        await ask().then(
          () => (answers += 1),
          () => undefined,
        );
        await sleep(20);
      }
    });
    for (let cuts = 0; cuts < 5; cuts += 1) {
      // Only after half a second is the server looked at anew as soon as an answer fails to come.
      await sleep(800);
      proxy.cut();
      const before = answers;
      const until = performance.now() + 8000;
      while (answers < before + 20 && performance.now() < until) await sleep(20);
      expect(answers, `after cut ${cuts}`).to.be.above(before);
    }
    ending.abort();
    await Promise.all(asking);
    await close();
    await proxy.close();
    await database.drop();
  });
});
