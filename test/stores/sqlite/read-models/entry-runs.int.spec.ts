import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { openReadModelFile, type ReadModelFile } from '../../../../src/stores/sqlite/read-models/file.js';
import { sortEntries } from '../../../../src/stores/sqlite/read-models/index/entry-runs.js';
import { insertEntries } from '../../../../src/stores/sqlite/read-models/index/writer.js';
import { emptyIndex, mirrorEntries } from '../../../../src/stores/sqlite/read-models/index/mirror.js';
import { tables } from '../../../../src/stores/sqlite/read-models/schema.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/temporary-directory.js';

type Entry = readonly [id: number | string, key: number, value: number | string];

const NAMES = tables(1, 'notes');
/** So that a few entries take several runs, and several levels of these. */
const SIZES = { run: 5, step: 3, runs: 2 };

const someId = fc.oneof(fc.nat(20), fc.constantFrom('a', 'b', 'ä'));
const someValue = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer().map((n) => n / 8),
  fc.string({ maxLength: 3 }),
);
const someEntries = fc.uniqueArray(fc.tuple(someId, fc.nat(4), someValue), {
  maxLength: 120,
  // Zero and its negative are one value for SQLite.
  selector: ([id, key, value]) => JSON.stringify([id, key, value === 0 ? 0 : value]),
});

describe('entries that a filling has written by document', () => {
  let directory: TemporaryDirectory;
  let file: ReadModelFile;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = openReadModelFile(directory.path, 'write');
    file.createTables(1, 'notes');
  });

  afterEach(async () => {
    file.close();
    await directory.remove();
  });

  const all = (text: string): unknown[] =>
    file
      .sql(text)
      .all()
      .map((row) => Object.values(row));
  const insert = (entries: readonly Entry[]): void => {
    Array.from(insertEntries(file, NAMES, entries.flat()));
  };
  const inSteps = async (steps: Iterator<unknown>): Promise<void> => {
    while (await Promise.resolve(file.transaction('IMMEDIATE', () => steps.next().done !== true)));
  };
  const byValue = (): unknown[] => all(`SELECT id, key, value FROM ${NAMES.entries} ORDER BY id, key, value`);
  const byDocument = (): unknown[] => all(`SELECT id, key, value FROM ${NAMES.entries_by_id} ORDER BY id, key, value`);

  it('are sorted by value, in any number of runs', async () => {
    const property = fc.asyncProperty(someEntries, async (entries) => {
      emptyIndex(file, NAMES);
      insert(entries);
      await sortEntries(file, NAMES, inSteps, SIZES);
      expect(byValue()).to.deep.equal(byDocument());
      expect(byValue()).to.have.length(entries.length);
      expect(existsSync(join(directory.path, 'scratch.sqlite'))).to.equal(false);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('are the same by value once they are mirrored', async () => {
    const property = fc.asyncProperty(someEntries, someEntries, async (before, after) => {
      emptyIndex(file, NAMES);
      insert(before);
      await sortEntries(file, NAMES, inSteps, SIZES);
      mirrorEntries(file, NAMES);
      const remove = file.sql(`DELETE FROM ${NAMES.entries_by_id} WHERE id = ? AND key = ? AND value = ?`);
      for (const entry of [...before.filter((_, nth) => nth % 2 === 0), ...after]) remove.run(...entry);
      insert(after);
      expect(byValue()).to.deep.equal(byDocument());
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('leave nothing beside the file if they cannot be sorted, and are sorted at the next try', async () => {
    const entries = Array.from({ length: 40 }, (_, nth): Entry => [nth, nth % 3, -nth]);
    insert(entries);
    let steps = 0;
    const failing = async (work: Iterator<unknown>): Promise<void> => {
      for (; steps < 6; steps += 1) await inSteps({ next: () => ({ ...work.next(), done: true }) });
      throw new Error('no room');
    };
    const failure = await sortEntries(file, NAMES, failing, SIZES).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'no room');
    expect(existsSync(join(directory.path, 'scratch.sqlite'))).to.equal(false);

    emptyIndex(file, NAMES);
    insert(entries);
    await sortEntries(file, NAMES, inSteps, SIZES);
    expect(byValue()).to.deep.equal(byDocument());
  });

  it('leave nothing beside the file for the process after one that was killed', () => {
    const scratch = join(directory.path, 'scratch.sqlite');
    writeFileSync(scratch, 'of a process that was killed');
    openReadModelFile(directory.path, 'read').close();
    expect(existsSync(scratch), 'a writer may be using it').to.equal(true);
    openReadModelFile(directory.path, 'write').close();
    expect(existsSync(scratch)).to.equal(false);
  });
});
