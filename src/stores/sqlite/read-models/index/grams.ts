/**
 * Trigrams of short texts: they name those that may hold a substring. A long text is not worth its trigrams
 * (docs/decisions/0035-only-short-texts-on-sqlite-have-trigrams.md).
 */
import { type SqlRow, type SqlValue } from '../../connection.js';
import { type Value } from '../../../shared/well-formed-text.js';
import { type ReadModelFile } from '../file.js';
import { rangesOf } from './ranges.js';
import { type Tables } from '../schema.js';

const GRAM = 3;
/** In code units. */
const LONGEST = 255;

const ID_BITS = 40;
const LAST_ID = 2 ** ID_BITS - 1;

/** By key and document, so that the texts of one key are a range of rows. */
const rowOf = (key: string, id: string): string => `(CAST(${key} AS INTEGER) << ${ID_BITS} | CAST(${id} AS INTEGER))`;
export const ROW = rowOf('?', '?');

interface Text {
  readonly id: Value;
  readonly nth: number;
  readonly folded: string;
}

/** Of texts under one key the first alone, of documents with whole numbers for ids: others have no row. */
export const hasGrams = ({ id, nth, folded }: Text): boolean =>
  nth === 0 && folded.length <= LONGEST && Number.isInteger(id) && Number(id) >= 0 && Number(id) <= LAST_ID;

/** Texts that one statement takes. FTS5 writes their trigrams at its end: of long ones, after 50 milliseconds. */
const STEP = 500;

/** Of all texts that have any, into an empty table, in the order of its rows. Other texts are not read. */
export function* gramsOfTexts(file: ReadModelFile, { texts, grams }: Tables): Generator<void, void, void> {
  for (const { select, values } of rangesOf(file, texts, ['key', 'id', 'nth'], STEP)) {
    const short = select('key, id, iif(grams = 1, folded, NULL) AS folded');
    const rows = `SELECT ${rowOf('key', 'id')}, folded FROM ${short} WHERE folded IS NOT NULL ORDER BY key, id`;
    file.sql(`INSERT INTO ${grams} (rowid, folded) ${rows}`).run(...values);
    yield;
  }
}

/** Fewer texts are walked at once. */
const MANY = 1000;
/** More texts that may hold it are walked, like all others, to the end of a page. */
const MOST_RARE = 100;
/** More of them narrow a search no further. */
const MOST_GRAMS = 8;

/** The documents whose text under the key holds this one; null where all texts had better be walked. */
export function rareAmong(file: ReadModelFile, names: Tables, key: number, wanted: string): readonly Value[] | null {
  const { texts, text_counts: counts, grams } = names;
  const match = matchOf(wanted);
  const n = Number(file.sql(`SELECT n FROM ${counts} WHERE key = ?`).get(key)?.['n'] ?? 0);
  if (match === null || n < MANY) return null;
  const limited = (sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] =>
    file.sql(`${sql} LIMIT ${MOST_RARE + 1}`).all(...values);
  const without = limited(`SELECT DISTINCT id FROM ${texts} WHERE key = ? AND grams = 0`, key);
  if (without.length > MOST_RARE) return null;
  const marked = limited(
    `SELECT rowid & ${LAST_ID} AS id FROM ${grams} WHERE ${grams} MATCH ? AND rowid BETWEEN ${ROW} AND ${ROW}`,
    ...[match, key, 0, key, LAST_ID],
  );
  if (marked.length > MOST_RARE) return null;
  const holds = file.sql(`SELECT 1 FROM ${texts} WHERE key = ? AND id = ? AND instr(folded, ?) > 0`);
  const ids = new Set([...without, ...marked].map(({ id }) => id as Value));
  return [...ids].filter((id) => holds.get(key, id, wanted) !== undefined);
}

/** Null for what is shorter than a gram. */
function matchOf(wanted: string): string | null {
  const characters = Array.from(wanted);
  const last = characters.length - GRAM;
  if (last < 0) return null;
  const n = Math.min(MOST_GRAMS, last + 1);
  const step = last / Math.max(1, n - 1);
  const grams = Array.from({ length: n }, (_, nth) =>
    characters
      .slice(Math.floor(nth * step))
      .slice(0, GRAM)
      .join(''),
  );
  return [...new Set(grams)].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ');
}
