import { noChanges } from '../../../../src/stores/sqlite/read-models/changes.js';
import { sqliteReadModelStore } from '../../../../src/stores/sqlite/read-models/writer.js';
import { sqliteReadModels } from '../../../../src/stores/sqlite/read-models/reader.js';
import { MODELS, PROJECTION, type OpenedReadModels } from '../../contracts/read-models-fixture.js';

/** `fewRows`: pages that may look at more are read by another thread. */
export function opened(directory: string, fewRows?: number): OpenedReadModels {
  const changes = noChanges();
  const models = sqliteReadModels(directory, { changes, ...(fewRows !== undefined && { fewRows }) });
  const store = sqliteReadModelStore(directory, changes);
  return {
    store,
    models,
    tell: models.notice,
    withdrawn: () => {
      models.withdrawn(PROJECTION, MODELS);
    },
    close: async () => {
      await models.close();
      store.close();
    },
  };
}
