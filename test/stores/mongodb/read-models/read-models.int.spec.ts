import { mongoReadModelStore } from '../../../../src/stores/mongodb/read-models/writer.js';
import { mongoReadModels } from '../../../../src/stores/mongodb/read-models/reader.js';
import { mongoDatabase } from '../../../../src/stores/mongodb/connection.js';
import { forEachMongoDb, freshDatabase } from '../../../support/mongodb/for-each-mongodb.js';
import { type OpenedReadModels, type Sizes } from '../../contracts/read-models-fixture.js';
import { itFindsWhatEachMaySee } from '../../contracts/artifact-histories.contract.js';
import { itFindsWhatQueriesSay } from '../../contracts/tql.contract.js';
import { IDS } from './fixture.js';
import { itKeepsTheReadModelsContract } from '../../contracts/read-models.contract.js';

/** More than two bulks. */
const SMALL: Sizes = { many: 520, runs: 25 };

forEachMongoDb('the read models', ({ name, url }) => {
  const open = async (): Promise<OpenedReadModels> => {
    const fresh = freshDatabase(url());
    const { db, close } = mongoDatabase(fresh.url);
    const store = mongoReadModelStore({ db, ids: IDS, tokenOf: () => 0 });
    const models = await mongoReadModels({
      db,
      ids: IDS,
      onError: (error) => {
        throw error;
      },
    });
    return {
      store,
      models,
      tell: () => undefined,
      close: async () => {
        await models.close();
        await close();
        await fresh.drop();
      },
    };
  };

  itKeepsTheReadModelsContract(open, SMALL);
  itFindsWhatEachMaySee(open, name === 'ferretdb' ? 4 : 25);
  itFindsWhatQueriesSay(open, name === 'ferretdb' ? 2 : 3);
});
