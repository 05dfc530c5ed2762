import { join } from 'node:path';
import { all } from '../../projections/all.js';
import { openDatabase, type Database } from '../../src/stores/sqlite/connection.js';
import { readModelsDirectory } from '../../src/stores/sqlite/read-models/directories.js';

/** Nothing else can write the embedded read models until this is rolled back or closed. */
export function holdReadModels(dataDir: string): Database {
  const file = openDatabase(join(readModelsDirectory(dataDir, all), 'read-models.sqlite'));
  file.exec('BEGIN IMMEDIATE');
  return file;
}
