import { noChanges } from '../../../../src/stores/sqlite/read-models/changes.js';
import { sqliteReadModelStore } from '../../../../src/stores/sqlite/read-models/writer.js';
import { sqliteReadModels } from '../../../../src/stores/sqlite/read-models/reader.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';
import { MODELS, PROJECTION, type OpenedReadModels } from '../../contracts/read-models-fixture.js';

/** `fewRows`: pages that may look at more are read by another thread. */
export function opened(directory: string, fewRows?: number): OpenedReadModels {
  const changes = noChanges();
  const models = sqliteReadModels(directory, { changes, ...(fewRows !== undefined && { fewRows }) });
  const store = sqliteReadModelStore(directory, { changes });
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

/** Read models for each spec of a suite, in a directory of their own. */
export interface OpenedForEach {
  readonly store: OpenedReadModels;
  readonly path: string;
  /** Closes them, and opens them again. */
  readonly reopen: () => Promise<void>;
}

export function openedForEach(): OpenedForEach {
  let directory: TemporaryDirectory;
  let store: OpenedReadModels;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    store = opened(directory.path);
  });
  afterEach(async () => {
    await store.close();
    await directory.remove();
  });
  return {
    get store() {
      return store;
    },
    get path() {
      return directory.path;
    },
    reopen: async () => {
      await store.close();
      store = opened(directory.path);
    },
  };
}
