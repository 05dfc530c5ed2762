import { setImmediate } from 'node:timers/promises';
import { type Position } from '../../../core/event-log.js';
import { type Kept, type Generation } from '../../../core/projection.js';
import { SLICE_ROWS, SLICE_SIZE } from '../../shared/read-slices.js';
import { tables, type ReadModelFile, type Tables } from './file.js';
import { type SqlRow, type SqlValue } from '../connection.js';

/** Each slice is one statement: other work of the thread comes in between. */
export async function* documentSlices(
  file: ReadModelFile,
  generation: Generation,
  model: string,
): AsyncGenerator<readonly Kept[], void> {
  const { documents } = tables(generation, model);
  const select = 'SELECT id, body, position';
  for await (const rows of slices(file, {
    select: 'SELECT id, octet_length(body) AS size',
    from: documents,
    by: ['id'],
  })) {
    for (const { first, count } of parts(rows)) {
      const found = file.sql(`${select} FROM ${documents} WHERE id >= ? ORDER BY id LIMIT ?`).all(first, count);
      yield found.map(keptOf);
      await setImmediate();
    }
  }
}

interface Part {
  readonly first: SqlValue;
  count: number;
  size: number;
}

function parts(rows: readonly SqlRow[]): readonly Part[] {
  const all: Part[] = [];
  for (const { id = null, size } of rows) {
    const last = all.at(-1);
    if (last === undefined || last.size > SLICE_SIZE) all.push({ first: id, count: 1, size: Number(size) });
    else Object.assign(last, { count: last.count + 1, size: last.size + Number(size) });
  }
  return all;
}

function keptOf({ id, body, position }: SqlRow): Kept {
  return { id: id as Kept['id'], body: String(body), position: position as Position };
}

interface Verifying {
  readonly file: ReadModelFile;
  readonly onRows: (rows: number) => void;
}

/** What is wrong with the index and the counts of one read model, in words. */
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
  const entries = await verifyEntries(around, names);
  const texts = await verifyTexts(around, names);
  const documents = await verifyDocuments(around, names);
  found(entries.orphans, 'index entries without a document');
  found(texts.orphans, 'texts without a document');
  found(documents.gone, 'documents both there and gone');
  found(entries.wrong + (await superfluousCounts(around, names)), 'wrong counts of entries');
  found(texts.wrong, 'wrong counts of texts');
  found(withoutGrams(file, names), 'texts without trigrams, or the other way round');
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
  const select = `SELECT id, EXISTS (SELECT 1 FROM ${gone} g WHERE g.id = t.id) AS gone`;
  for await (const rows of verified(around, { select, from: documents, by: ['id'] })) {
    seen.there += rows.length;
    for (const row of rows) seen.gone += Number(row['gone']);
  }
  return seen;
}

interface Verified {
  readonly orphans: number;
  readonly wrong: number;
}

async function verifyEntries(around: Verifying, { entries, counts, documents }: Tables): Promise<Verified> {
  let [orphans, wrong, n] = [0, 0, 0];
  let last: SqlRow | undefined;
  const compareCount = (): void => {
    if (last === undefined) return;
    const { key = null, value = null } = last;
    const counted = around.file.sql(`SELECT n FROM ${counts} WHERE key = ? AND value = ?`).get(key, value);
    if (counted?.['n'] !== n) wrong += 1;
  };
  const select = `SELECT key, value, id, EXISTS (SELECT 1 FROM ${documents} d WHERE d.id = t.id) AS there`;
  for await (const rows of verified(around, { select, from: entries, by: ['key', 'value', 'id'] })) {
    for (const row of rows) {
      if (last?.['key'] !== row['key'] || last?.['value'] !== row['value']) {
        compareCount();
        n = 0;
      }
      last = row;
      n += 1;
      orphans += 1 - Number(row['there']);
    }
  }
  compareCount();
  return { orphans, wrong };
}

async function superfluousCounts(around: Verifying, { entries, counts }: Tables): Promise<number> {
  let n = 0;
  const has = `EXISTS (SELECT 1 FROM ${entries} e WHERE e.key = t.key AND e.value = t.value)`;
  for await (const rows of verified(around, {
    select: `SELECT key, value, ${has} AS has`,
    from: counts,
    by: ['key', 'value'],
  }))
    for (const row of rows) n += 1 - Number(row['has']);
  return n;
}

async function verifyTexts(around: Verifying, { texts, text_counts, documents }: Tables): Promise<Verified> {
  let orphans = 0;
  const found = new Map<SqlValue, number>();
  const select = `SELECT key, id, nth, EXISTS (SELECT 1 FROM ${documents} d WHERE d.id = t.id) AS there`;
  for await (const rows of verified(around, { select, from: texts, by: ['key', 'id', 'nth'] })) {
    for (const { key = null, there } of rows) {
      found.set(key, (found.get(key) ?? 0) + 1);
      orphans += 1 - Number(there);
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
  return { orphans, wrong: [...keys].filter(isWrong).length };
}

/** And trigrams without a text. */
function withoutGrams(file: ReadModelFile, { texts, grams }: Tables): number {
  const number = (sql: string): number => Number(file.sql(sql).get()?.['n']);
  const wanted = number(`SELECT count(*) AS n FROM ${texts} WHERE grams = 1`);
  return Math.abs(wanted - number(`SELECT count(*) AS n FROM ${grams}`));
}

interface Walk {
  readonly select: string;
  readonly from: string;
  /** The columns of an index, all of them selected, which tell the rows apart. */
  readonly by: readonly string[];
}

async function* verified({ file, onRows }: Verifying, walk: Walk): AsyncGenerator<readonly SqlRow[], void> {
  for await (const rows of slices(file, walk)) {
    yield rows;
    onRows(rows.length);
  }
}

async function* slices(file: ReadModelFile, { select, from, by }: Walk): AsyncGenerator<readonly SqlRow[], void> {
  const columns = by.join(', ');
  const rest = `ORDER BY ${columns} LIMIT ${SLICE_ROWS}`;
  const marks = by.map(() => '?').join(', ');
  let rows = file.sql(`${select} FROM ${from} t ${rest}`).all();
  while (rows.length > 0) {
    yield rows;
    await setImmediate();
    const last = rows.at(-1);
    const after = by.map((column) => last?.[column] ?? null);
    rows = file.sql(`${select} FROM ${from} t WHERE (${columns}) > (${marks}) ${rest}`).all(...after);
  }
}
