import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeOldReadModels } from '../../../../src/stores/sqlite/read-models/directories.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';

describe('the directories of read models', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => directory.remove());

  const written = (name: string, at: number, fileName = 'read-models.sqlite'): string => {
    const path = join(directory.path, 'read-models', name);
    mkdirSync(path, { recursive: true });
    const file = join(path, fileName);
    writeFileSync(file, '');
    utimesSync(file, at, at);
    return path;
  };

  it('are those of this release, of the one before, and any folder without read models', () => {
    const own = written('own', 3);
    written('before', 2);
    written('older', 1);
    mkdirSync(join(directory.path, 'read-models', 'empty'));
    writeFileSync(join(directory.path, 'read-models', 'note'), '');
    removeOldReadModels(directory.path, own);
    expect(readdirSync(join(directory.path, 'read-models'))).to.have.members(['own', 'before', 'empty', 'note']);
  });

  it('are of the release before if their write-ahead log was written last', () => {
    const own = written('own', 4);
    written('before', 1);
    written('before', 3, 'read-models.sqlite-wal');
    written('older', 2);
    removeOldReadModels(directory.path, own);
    expect(readdirSync(join(directory.path, 'read-models'))).to.have.members(['own', 'before']);
  });
});
