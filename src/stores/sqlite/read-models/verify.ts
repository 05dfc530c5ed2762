/** Holds what is kept beside the documents (their index, their number) against them. */
import { setImmediate } from 'node:timers/promises';
import { type Generation } from '../../../core/projection.js';
import { type ReadModelFile } from './file.js';
import { rangesOf, type RowRange } from './index/ranges.js';
import { tables, type Tables } from './schema.js';
import { type SqlValue } from '../connection.js';

interface Verifying {
  readonly file: ReadModelFile;
  readonly onRows: (rows: number) => void;
}

/** What is wrong with the index and the number of documents of one read model, in words. */
export async function verifyModel(
  around: Verifying,
  generation: Generation,
  model: string,
): Promise<readonly string[]> {
  const { file } = around;
  const names = tables(generation, model);
  const findings: string[] = [];
  const found = (n: number, finding: string): void => {
    if (n > 0) findings.push(`${model}: ${n} ${finding}`);
  };
  const byDocument = await verifyEntriesByDocument(around, names);
  const byValue = await rowsIn(around, names.entries, ['key', 'value', 'id']);
  const texts = await verifyTexts(around, names);
  // FTS5 keeps a row there for each text with trigrams. To count its own table is one long statement.
  const grams = await rowsIn(around, `${names.grams}_docsize`, ['id']);
  const documents = await verifyDocuments(around, names);
  found(byDocument.orphans, 'index entries without a document');
  found(Math.abs(byDocument.entries - byValue), 'index entries by document alone, or by value alone');
  found(texts.orphans, 'texts without a document');
  found(documents.gone, 'documents both there and gone');
  found(texts.wrong, 'wrong counts of texts');
  found(Math.abs(texts.withGrams - grams), 'texts without trigrams, or the other way round');
  const counted = Number(
    file.sql('SELECT documents FROM models WHERE run = ? AND model = ?').get(generation, model)?.['documents'],
  );
  if (counted !== documents.there) findings.push(`${model}: ${documents.there} documents, but ${counted} counted`);
  return findings;
}

async function verifyDocuments(
  around: Verifying,
  { documents, gone }: Tables,
): Promise<{ readonly there: number; readonly gone: number }> {
  const seen = { there: 0, gone: 0 };
  const isGone = `EXISTS (SELECT 1 FROM ${gone} g WHERE g.id = t.id)`;
  for await (const { select, values, rows } of stretches(around, documents, ['id'])) {
    const row = around.file.sql(`SELECT sum(${isGone}) AS n FROM ${select('id')} t`).get(...values);
    seen.there += rows;
    seen.gone += Number(row?.['n']);
  }
  return seen;
}

interface ByDocument {
  readonly entries: number;
  readonly orphans: number;
}

/** Each document is looked up once. */
async function verifyEntriesByDocument(
  around: Verifying,
  { entries_by_id: byId, documents }: Tables,
): Promise<ByDocument> {
  const isThere = `EXISTS (SELECT 1 FROM ${documents} d WHERE d.id = g.id)`;
  const found = { entries: 0, orphans: 0 };
  for await (const { select, values, rows } of stretches(around, byId, ['id', 'key', 'value'])) {
    const byDocument = `SELECT id, count(*) AS n FROM ${select('id')} GROUP BY id`;
    const row = around.file.sql(`SELECT sum(n) AS n FROM (${byDocument}) g WHERE NOT ${isThere}`).get(...values);
    found.entries += rows;
    found.orphans += Number(row?.['n']);
  }
  return found;
}

async function rowsIn(around: Verifying, table: string, by: readonly string[]): Promise<number> {
  let found = 0;
  for await (const { rows } of stretches(around, table, by)) found += rows;
  return found;
}

interface Verified {
  readonly orphans: number;
  readonly wrong: number;
  readonly withGrams: number;
}

async function verifyTexts(around: Verifying, { texts, text_counts, documents }: Tables): Promise<Verified> {
  let [orphans, withGrams] = [0, 0];
  const found = new Map<SqlValue, number>();
  const isThere = `EXISTS (SELECT 1 FROM ${documents} d WHERE d.id = t.id)`;
  const sums = `key, count(*) AS n, sum(NOT ${isThere}) AS orphans, sum(grams) AS grams`;
  for await (const { select, values } of stretches(around, texts, ['key', 'id', 'nth'])) {
    for (const row of around.file
      .sql(`SELECT ${sums} FROM ${select('key, id, grams')} t GROUP BY key`)
      .all(...values)) {
      const { key = null } = row;
      found.set(key, (found.get(key) ?? 0) + Number(row['n']));
      orphans += Number(row['orphans']);
      withGrams += Number(row['grams']);
    }
  }
  const counted = new Map(
    around.file
      .sql(`SELECT key, n FROM ${text_counts}`)
      .all()
      .map(({ key = null, n }) => [key, Number(n)] as const),
  );
  const keys = new Set([...found.keys(), ...counted.keys()]);
  const isWrong = (key: SqlValue): boolean => (found.get(key) ?? 0) !== (counted.get(key) ?? 0);
  return { orphans, withGrams, wrong: [...keys].filter(isWrong).length };
}

/** So many rows take SQLite some milliseconds, as long as it does not hand them over. */
const STRETCH_ROWS = 1000;

interface Stretch extends RowRange {
  readonly rows: number;
}

/** `by`: the columns of an index, which tell the rows apart. Other work of the thread comes in between. */
async function* stretches(
  { file, onRows }: Verifying,
  from: string,
  by: readonly string[],
): AsyncGenerator<Stretch, void> {
  for (const range of rangesOf(file, from, by, STRETCH_ROWS)) {
    const { select, values, isLast } = range;
    const count = (): unknown => file.sql(`SELECT count(*) AS n FROM ${select('1')}`).get(...values)?.['n'];
    const rows = isLast ? Number(count()) : STRETCH_ROWS;
    if (rows > 0) yield { ...range, rows };
    if (rows > 0) onRows(rows);
    await setImmediate();
  }
}
