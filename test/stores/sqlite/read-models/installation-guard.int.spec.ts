import { expect } from 'chai';
import { readModelsOwnedByLog } from '../../../../src/stores/sqlite/read-models/installation-guard.js';
import { sqliteReadModelStore } from '../../../../src/stores/sqlite/read-models/writer.js';
import { note, openRun, written } from '../../contracts/read-models-fixture.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';

describe('the owner of read models on SQLite', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => directory.remove());

  const owned = (firstEvent: string | null) => () => {
    readModelsOwnedByLog(directory.path, firstEvent);
  };

  it('is the first log with an event, and no other one, and no empty one, before anything is filled', () => {
    owned(null)();
    owned('e-1')();
    owned('e-1')();
    expect(owned('e-2')).to.throw('log.sqlite is another log');
    expect(owned(null)).to.throw('log.sqlite is empty');
  });

  it('is no empty log where they are filled, whosever they are', async () => {
    const store = sqliteReadModelStore(directory.path);
    const { commit } = await openRun(store);
    await commit(1, written(note(1), 1));
    store.close();
    expect(owned(null)).to.throw('log.sqlite is empty');
    owned('e-1')();
  });
});
