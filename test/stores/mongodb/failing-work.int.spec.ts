import { mongoDatabase } from '../../../src/stores/mongodb/connection.js';
import { mongoFailingWork } from '../../../src/stores/mongodb/failing-work.js';
import { forEachMongoDb, freshDatabase } from '../../support/mongodb/for-each-mongodb.js';
import { itKeepsTheFailingWorkContract } from '../contracts/failing-work.contract.js';

forEachMongoDb('failing work', (server) => {
  itKeepsTheFailingWorkContract(() => {
    const fresh = freshDatabase(server.url());
    const [one, other] = [mongoDatabase(fresh.url), mongoDatabase(fresh.url)];
    return Promise.resolve({
      registers: [mongoFailingWork(one.db), mongoFailingWork(other.db)],
      close: async () => {
        await Promise.all([one.close(), other.close()]);
        await fresh.drop();
      },
    });
  });
});
