import { expect } from 'chai';
import { type Criterion, type PlainQuery } from '../../../../src/core/read-models.js';
import { openReadModelFile, type ReadModelFile } from '../../../../src/stores/sqlite/read-models/file.js';
import { condition } from '../../../../src/stores/sqlite/read-models/query/criteria-to-sql.js';
import { selection } from '../../../../src/stores/sqlite/read-models/query/selection.js';
import { sizeEstimates } from '../../../../src/stores/sqlite/read-models/query/sizes.js';
import { tables } from '../../../../src/stores/sqlite/read-models/schema.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';

const LISTED = 1;
const OTHERS = 100;
const VALUES = Array.from({ length: 32 }, (_, nth) => nth);

describe('a statement on SQLite', () => {
  const names = tables(1, 'notes');
  let directory: TemporaryDirectory;
  let file: ReadModelFile;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = openReadModelFile(directory.path, 'write');
    file.createTables(1, 'notes');
    const insert = file.sql(`INSERT INTO ${names.entries} (key, value, id) VALUES (?, ?, ?)`);
    for (const value of VALUES) {
      insert.run(LISTED, value, value);
      for (let id = 0; id < 40; id += 1) insert.run(OTHERS, value, id);
    }
  });
  afterEach(async () => {
    file.close();
    await directory.remove();
  });

  const textOf = (criteria: number): string => {
    const source = { file, names, numberOf: (key: string) => Number(key), sizeOf: sizeEstimates(file) };
    const either: Criterion = {
      type: 'or',
      criteria: Array.from({ length: criteria }, (_, nth) => ({
        type: 'range',
        key: String(OTHERS),
        from: nth,
        to: nth,
      })),
    };
    const where: readonly Criterion[] = [{ type: 'any-of', key: String(LISTED), values: VALUES }, either];
    const query: PlainQuery = { where, direction: 'asc', limit: 50, offset: 0 };
    const { text } = selection(source, condition(source, where), query);
    file.sql(text);
    return text;
  };

  it('walks each of several values, and asks each what it finds', () => {
    expect(textOf(1).split('UNION')).to.have.length(VALUES.length);
  });

  it('asks many conditions once: it grows by their number alone', () => {
    expect(textOf(100).length).to.be.below(textOf(1).length + 100 * 200);
  });

  it('is kept by its length, not by the number of others', () => {
    const short = file.sql('SELECT 1');
    expect(file.sql('SELECT 1')).to.equal(short);
    const long = `SELECT 1 /* ${'x'.repeat(20_000)} */`;
    expect(file.sql(long)).to.not.equal(file.sql(long));
    for (let nth = 0; nth < 200; nth += 1) file.sql(`SELECT ${nth} /* ${'x'.repeat(10_000)} */`);
    expect(file.sql('SELECT 1')).to.not.equal(short);
  });

  it('of a reader writes nothing', () => {
    const reading = openReadModelFile(directory.path, 'read');
    const remove = reading.sql(`DELETE FROM ${names.entries}`);
    expect(() => remove.run()).to.throw('readonly');
    reading.close();
  });
});
