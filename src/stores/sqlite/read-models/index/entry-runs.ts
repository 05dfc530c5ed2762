/**
 * Sorts what a filling has written by document into the entries by value: in runs, which are merged. One insertion
 * after the other goes to the end of the table, however large it is.
 */
import { type SqlValue } from '../../connection.js';
import { SCRATCH, type ReadModelFile } from '../file.js';
import { rangesOf } from './ranges.js';
import { type Tables } from '../schema.js';
import { type Stretches } from '../shared-transactions.js';

type Steps = Generator<void, void, void>;

interface SortSizes {
  /** Rows that are sorted at once. */
  readonly run: number;
  /** Rows that are merged at once. */
  readonly step: number;
  /** Runs that are merged at once: SQLite joins 500 selections at most. */
  readonly runs: number;
}

/** A step takes some 20 milliseconds. */
const SIZES: SortSizes = { run: 65_536, step: 16_384, runs: 400 };

export async function sortEntries(
  file: ReadModelFile,
  names: Tables,
  inStretches: (steps: Parameters<Stretches>[0]) => Promise<void>,
  sizes = SIZES,
): Promise<void> {
  const { entries, entries_by_id: byId } = names;
  if (file.sql(`SELECT 1 FROM ${byId} LIMIT 1 OFFSET ?`).get(sizes.run) === undefined) {
    file.sql(`INSERT INTO ${entries} SELECT key, value, id FROM ${byId} ORDER BY key, value, id`).run();
  } else await file.withScratch(() => inStretches(sorted(file, names, sizes)));
}

function* sorted(file: ReadModelFile, names: Tables, sizes: SortSizes): Steps {
  let level = 0;
  let runs = yield* sortedRuns(file, names, sizes.run);
  for (; runs > sizes.runs; level += 1) {
    const into = runTable(file, level + 1);
    let merged = 0;
    for (; merged * sizes.runs < runs; merged += 1) {
      const those = numbers(merged * sizes.runs, Math.min(runs, (merged + 1) * sizes.runs));
      yield* mergedRuns(file, { from: tableOf(level), runs: those, into, run: merged, step: sizes.step });
    }
    file.sql(`DROP TABLE ${tableOf(level)}`).run();
    runs = merged;
  }
  const all = { from: tableOf(level), runs: numbers(0, runs), into: names.entries, run: null, step: sizes.step };
  yield* mergedRuns(file, all);
}

const tableOf = (level: number): string => `${SCRATCH}.runs_${level}`;

function runTable(file: ReadModelFile, level: number): string {
  file
    .sql(
      `CREATE TABLE ${tableOf(level)} (
        run INTEGER NOT NULL, key INTEGER NOT NULL, value ANY NOT NULL, id ANY NOT NULL, PRIMARY KEY (run, key, value, id)
      ) STRICT, WITHOUT ROWID`,
    )
    .run();
  return tableOf(level);
}

const numbers = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, n) => from + n);

/** How many there are. */
function* sortedRuns(
  file: ReadModelFile,
  { entries_by_id: byId }: Tables,
  rows: number,
): Generator<void, number, void> {
  const table = runTable(file, 0);
  let run = 0;
  for (const { select, values } of rangesOf(file, byId, ['id', 'key', 'value'], rows)) {
    const inOrder = `SELECT ?, key, value, id FROM ${select('key, value, id')} ORDER BY key, value, id`;
    file.sql(`INSERT INTO ${table} ${inOrder}`).run(run, ...values);
    run += 1;
    yield;
  }
  return run;
}

interface Merging {
  readonly from: string;
  readonly runs: readonly number[];
  readonly into: string;
  /** What they become in a table of runs; null in that of entries. */
  readonly run: number | null;
  readonly step: number;
}

function* mergedRuns(file: ReadModelFile, { from, runs, into, run, step }: Merging): Steps {
  const columns = run === null ? 'key, value, id' : `${run}, key, value, id`;
  const select = (rest: string): string =>
    runs.map((one) => `SELECT ${columns} FROM ${from} WHERE run = ${one} ${rest}`).join(' UNION ALL ');
  const insert = (rest: string): string => `INSERT INTO ${into} ${select(rest)} ORDER BY key, value, id LIMIT ${step}`;
  const where = run === null ? '' : `WHERE run = ${run}`;
  const end = `SELECT key, value, id FROM ${into} ${where} ORDER BY key DESC, value DESC, id DESC LIMIT 1`;
  let after: readonly SqlValue[] = [];
  for (let rows = step; rows === step;) {
    const rest = after.length === 0 ? '' : 'AND (key, value, id) > (?1, ?2, ?3)';
    rows = Number(file.sql(insert(rest)).run(...after).changes);
    if (rows === 0) return;
    after = Object.values(file.sql(end).get() ?? {});
    yield;
  }
}
