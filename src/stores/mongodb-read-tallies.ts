/** How many documents have which values under a counted key: kept, so that nobody has to count them. */
import { createHash } from 'node:crypto';
import { type Collection, type Db } from 'mongodb';
import { type Position } from '../core/event-log.js';
import { type Run } from '../core/projection.js';
import { writeDeadline } from './mongodb.js';
import { isOfDuplicates } from './mongodb-duplicates.js';
import { talliesName } from './mongodb-read-documents.js';
import { entriesIn, type Combination } from './mongodb-read-entries.js';

/** There is one for each combination that any document has, or has had. */
interface StoredTally {
  /** The combination, or its digest. */
  readonly _id: string;
  /** The entries of the combination, and what all entries of its key begin with. */
  readonly v: readonly string[];
  readonly n: number;
  /** Of the last commit that changed it. */
  readonly position: Position;
}

/** What a commit changes about a tally. */
export interface Difference {
  readonly combination: Combination;
  readonly n: number;
}

export function talliesOf(db: Db, model: string, run: Run): Collection<StoredTally> {
  return db.collection<StoredTally>(talliesName(model, run));
}

/** Nothing happens where they are there. */
export async function createTallies(db: Db, model: string, run: Run): Promise<void> {
  await talliesOf(db, model, run).createIndexes([{ key: { v: 1 } }]);
}

interface Counted {
  readonly position: Position;
  readonly c?: readonly Combination[];
}

/** What replacing the ones by the others changes. */
export function differencesBetween(before: Iterable<Counted>, after: Iterable<Counted>): readonly Difference[] {
  const differences = new Map<Combination, number>();
  for (const document of before) addCounts(differences, document, -1);
  for (const document of after) addCounts(differences, document, 1);
  return [...differences].flatMap(([combination, n]) => (n === 0 ? [] : [{ combination, n }]));
}

export function addCounts(counts: Map<Combination, number>, { c = [] }: Counted, by: number): void {
  for (const combination of c) counts.set(combination, (counts.get(combination) ?? 0) + by);
}

/** How many there are that are not so many, or are missing. */
export async function wrongTallies(
  tallies: Collection<StoredTally>,
  counts: ReadonlyMap<Combination, number>,
): Promise<number> {
  const expected = new Map([...counts].map(([combination, n]) => [idOf(combination), n]));
  let wrong = 0;
  for await (const { _id, n } of tallies.find({}, { projection: { n: 1 }, batchSize: 1000 })) {
    if (n !== (expected.get(_id) ?? 0)) wrong += 1;
    expected.delete(_id);
  }
  return wrong + expected.size;
}

/** Small enough for servers that hold on to something for each of them until the last one is done. */
const MOST_AT_ONCE = 80;
const MOST_TRIES = 5;

/** Done again, by whomever, it changes nothing. */
export async function addDifferences(
  tallies: Collection<StoredTally>,
  differences: readonly Difference[],
  position: Position,
): Promise<void> {
  for (let at = 0; at < differences.length; at += MOST_AT_ONCE) {
    await addPart(tallies, differences.slice(at, at + MOST_AT_ONCE), position);
  }
}

async function addPart(
  tallies: Collection<StoredTally>,
  differences: readonly Difference[],
  position: Position,
): Promise<void> {
  const named = differences.map((difference) => ({ ...difference, _id: idOf(difference.combination) }));
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await positionsOf(
      tallies,
      named.map(({ _id }) => _id),
    );
    const older = named.filter(({ _id }) => (known.get(_id) ?? '') < position);
    const missing = older.filter(({ _id }) => !known.has(_id));
    const outdated = older.filter(({ _id }) => known.has(_id));
    if (outdated.length > 0) {
      const updates = outdated.map(({ _id, n }) => ({
        updateOne: {
          filter: { _id, position: { $lt: position } },
          update: { $inc: { n }, $set: { position } },
        },
      }));
      await tallies.bulkWrite(updates, { ordered: false, ...writeDeadline() });
    }
    const inserted = missing.map(({ _id, combination, n }) => ({ _id, v: indexedEntries(combination), n, position }));
    if (await insertAll(tallies, inserted)) return;
  }
  throw new Error(`${tallies.collectionName} is being written by somebody else`);
}

async function positionsOf(
  tallies: Collection<StoredTally>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Position>> {
  const rows = await tallies
    .find({ _id: { $in: ids } }, { projection: { position: 1 }, batchSize: ids.length + 1 })
    .toArray();
  return new Map(rows.map(({ _id, position }) => [_id, position]));
}

/** False when some are there already. */
async function insertAll(tallies: Collection<StoredTally>, inserted: readonly StoredTally[]): Promise<boolean> {
  if (inserted.length === 0) return true;
  try {
    await tallies.insertMany(inserted, { ordered: false, ...writeDeadline() });
    return true;
  } catch (error) {
    if (!isOfDuplicates(error)) throw error;
    return false;
  }
}

const LONGEST_ID = 200;

function idOf(combination: Combination): string {
  return combination.length <= LONGEST_ID ? combination : createHash('sha256').update(combination).digest('base64url');
}

function indexedEntries(combination: Combination): readonly string[] {
  const entries = entriesIn(combination);
  return [...new Set(entries.map((entry) => entry.slice(0, entry.indexOf('\u0001') + 1))), ...entries];
}

/** A key with more combinations than these is no help. */
const MOST_COMBINATIONS = 1000;

export interface Tally {
  readonly entries: ReadonlySet<string>;
  readonly n: number;
}

/** Of all combinations with any of these entries; undefined where those are too many. */
export async function talliesWith(
  tallies: Collection<StoredTally>,
  entries: readonly string[],
): Promise<readonly Tally[] | undefined> {
  const rows = await tallies
    .find(
      { v: { $in: entries } },
      { projection: { v: 1, n: 1 }, limit: MOST_COMBINATIONS + 1, batchSize: MOST_COMBINATIONS + 2 },
    )
    .toArray();
  return rows.length > MOST_COMBINATIONS ? undefined : rows.map(({ v, n }) => ({ entries: new Set(v), n }));
}
