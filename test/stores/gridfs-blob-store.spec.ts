import { mongoDatabase } from '../../src/stores/mongodb.js';
import { gridFsBlobStore } from '../../src/stores/gridfs-blob-store.js';
import { forEachMongoDb, freshDatabase } from '../support/mongodb/for-each-mongodb.js';
import { itKeepsTheBlobStoreContract } from './blob-store.contract.js';

forEachMongoDb('the blob store', (server) => {
  itKeepsTheBlobStoreContract(async () => {
    const fresh = freshDatabase(server.url());
    const { db, close } = mongoDatabase(fresh.url);
    let now = Date.now();
    const clock = () => new Date(now);
    return {
      blobs: await gridFsBlobStore(db, clock),
      pass: (seconds) => {
        now += 1000 * seconds;
      },
      now: clock,
      close: async () => {
        await close();
        await fresh.drop();
      },
    };
  });
});
