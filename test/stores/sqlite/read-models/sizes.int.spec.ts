import { expect } from 'chai';
import { openReadModelFile, type ReadModelFile } from '../../../../src/stores/sqlite/read-models/file.js';
import { sizeEstimates } from '../../../../src/stores/sqlite/read-models/query/sizes.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';

const LARGE = 600;

describe('the estimated size of a condition on SQLite', () => {
  let directory: TemporaryDirectory;
  let file: ReadModelFile;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = openReadModelFile(directory.path, 'write');
    file.sql('CREATE TABLE numbers (n INTEGER NOT NULL) STRICT').run();
  });
  afterEach(async () => {
    file.close();
    await directory.remove();
  });

  const insert = (n: number, count: number): void => {
    const rows = 'WITH RECURSIVE r (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM r WHERE i < ?)';
    file.sql(`INSERT INTO numbers ${rows} SELECT ? FROM r`).run(count, n);
  };
  const equal = (n: number) => ({ text: 'n = ?', values: [n] });

  it('is exact while few rows match, also after a change', () => {
    const sizeOf = sizeEstimates(file);
    expect(sizeOf('numbers', equal(1))).to.equal(0);
    insert(1, 3);
    expect(sizeOf('numbers', equal(1))).to.equal(3);
  });

  it('is cached for each condition where many rows match', () => {
    const sizeOf = sizeEstimates(file);
    insert(1, LARGE);
    insert(2, LARGE + 1);
    expect(sizeOf('numbers', equal(1))).to.equal(LARGE);
    insert(1, LARGE);
    expect(sizeOf('numbers', equal(1))).to.equal(LARGE);
    expect(sizeOf('numbers', equal(2))).to.equal(LARGE + 1);
  });

  it('is counted up to its limit', () => {
    insert(1, LARGE);
    expect(sizeEstimates(file)('numbers', equal(1), 100)).to.equal(100);
  });
});
