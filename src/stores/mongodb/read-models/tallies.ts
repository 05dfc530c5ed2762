/** How many documents have which values under a counted key: kept, so that nobody has to count them. */
import { createHash } from 'node:crypto';
import { type Collection, type Db, type Filter } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { type Generation } from '../../../core/projection.js';
import { writeDeadline } from '../connection.js';
import { insertedAll } from '../duplicate-key.js';
import { talliesName } from './documents.js';
import { anyUnder, combined, type Combination } from './entries.js';
import { inSlices, SLICE_ROWS } from '../../shared/read-slices.js';

/** There is one for each combination that any document has, or has had. */
interface StoredTally {
  /** The combination, or its digest. */
  readonly _id: string;
  /** See Combined: `of`. */
  readonly v: readonly string[];
  /** `said`. A generation of an earlier release has it nowhere, and its tallies tell nothing. */
  readonly l?: readonly string[];
  readonly n: number;
  /** Of the last commit that changed it; empty before the first. */
  readonly position: Position | '';
}

/** What a commit changes about a tally. */
export interface Difference {
  readonly id: string;
  readonly n: number;
}

interface CountedDifference extends Difference {
  readonly combination: Combination;
}

export function talliesOf(db: Db, model: string, generation: Generation): Collection<StoredTally> {
  return db.collection<StoredTally>(talliesName(model, generation));
}

/** Nothing happens where they are there. */
export async function createTallies(db: Db, model: string, generation: Generation): Promise<void> {
  await talliesOf(db, model, generation).createIndexes([{ key: { v: 1 } }]);
}

interface Counted {
  readonly position: Position;
  readonly c?: readonly Combination[];
}

/** What replacing the ones by the others changes. */
export function differencesBetween(before: Iterable<Counted>, after: Iterable<Counted>): readonly CountedDifference[] {
  const differences = new Map<Combination, number>();
  for (const document of before) addCounts(differences, document, -1);
  for (const document of after) addCounts(differences, document, 1);
  return [...differences].flatMap(([combination, n]) => (n === 0 ? [] : [{ id: idOf(combination), combination, n }]));
}

export function addCounts(counts: Map<Combination, number>, { c = [] }: Counted, by: number): void {
  for (const combination of c) counts.set(combination, (counts.get(combination) ?? 0) + by);
}

/** How many there are that are not so many, or are missing. */
export async function wrongTallies(
  tallies: Collection<StoredTally>,
  counts: ReadonlyMap<Combination, number>,
  onRows: (rows: number) => void,
): Promise<number> {
  const expected = new Map([...counts].map(([combination, n]) => [idOf(combination), n]));
  let wrong = 0;
  const stored = tallies.find({}, { projection: { n: 1 }, batchSize: SLICE_ROWS });
  for await (const slice of inSlices(stored, () => 0)) {
    for (const { _id, n } of slice) {
      if (n !== (expected.get(_id) ?? 0)) wrong += 1;
      expected.delete(_id);
    }
    onRows(slice.length);
  }
  return wrong + expected.size;
}

/** Makes those that are not there yet, at nothing. */
export async function ensureTallies(
  tallies: Collection<StoredTally>,
  differences: readonly CountedDifference[],
  known: Pick<Map<string, true>, 'has'> & { set(name: string, value: true): unknown },
): Promise<void> {
  const nameOf = (id: string): string => `${tallies.collectionName} ${id}`;
  const unknown = differences.filter(({ id }) => !known.has(nameOf(id)));
  if (unknown.length === 0) return;
  let missing = unknown.map(({ id, combination }): StoredTally => {
    const { of, said } = combined(combination);
    return { _id: id, v: of, l: said, n: 0, position: '' };
  });
  while (!(await insertAll(tallies, missing))) {
    const there = await idsAmong(
      tallies,
      missing.map(({ _id }) => _id),
    );
    missing = missing.filter(({ _id }) => !there.has(_id));
  }
  for (const { id } of unknown) known.set(nameOf(id), true);
}

async function insertAll(tallies: Collection<StoredTally>, inserted: readonly StoredTally[]): Promise<boolean> {
  if (inserted.length === 0) return true;
  return insertedAll(() => tallies.insertMany(inserted, { ordered: false, ...writeDeadline() }));
}

async function idsAmong(tallies: Collection<StoredTally>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tallies
    .find({ _id: { $in: ids } }, { projection: { _id: 1 }, batchSize: ids.length + 1 })
    .toArray();
  return new Set(rows.map(({ _id }) => _id));
}

/** Small enough for servers that hold on to something for each of them until the last one is done. */
const MOST_AT_ONCE = 80;

/** Done again, by whomever, it changes nothing. */
export async function addDifferences(
  tallies: Collection<StoredTally>,
  differences: readonly Difference[],
  position: Position,
): Promise<void> {
  for (let at = 0; at < differences.length; at += MOST_AT_ONCE) {
    const updates = differences.slice(at, at + MOST_AT_ONCE).map(({ id, n }) => ({
      updateOne: {
        filter: { _id: id, position: { $lt: position } },
        update: { $inc: { n }, $set: { position } },
      },
    }));
    await tallies.bulkWrite(updates, { ordered: false, ...writeDeadline() });
  }
}

/** What is announced names each of them. */
const LONGEST_ID = 60;

function idOf(combination: Combination): string {
  return combination.length <= LONGEST_ID ? combination : createHash('sha256').update(combination).digest('base64url');
}

/** More combinations are no help. */
const MOST_COMBINATIONS = 1000;

interface Tally {
  /** What documents say of what limits who may see them, and the values under the keys that they name. */
  readonly said: readonly string[];
  readonly n: number;
}

/** What the tallies of one generation of a read model tell; undefined where there is too much. */
export interface Tallies {
  /** Of documents with any of these entries under one counted key. */
  countsOf(entries: readonly string[]): Promise<readonly Tally[] | undefined>;
  /**
   * All that documents ever said under this key of which keys are present. While a commit goes on, documents may say what
   * no tally counts any more, or does not count yet: it is there before they are.
   */
  everSaidUnder(key: string): Promise<readonly string[] | undefined>;
}

export function talliesIn(tallies: Collection<StoredTally>): Tallies {
  const found = async (filter: Filter<StoredTally>): Promise<readonly Tally[] | undefined> => {
    const options = { projection: { _id: 0, l: 1, n: 1 }, limit: MOST_COMBINATIONS + 1 };
    const rows = await tallies.find(filter, { ...options, batchSize: MOST_COMBINATIONS + 2 }).toArray();
    if (rows.length > MOST_COMBINATIONS) return undefined;
    return rows.flatMap(({ l, n }) => (l === undefined ? [] : [{ said: l, n }]));
  };
  return {
    countsOf: (entries) => found({ v: { $in: entries }, n: { $gt: 0 } }),
    everSaidUnder: async (key) => (await found({ v: anyUnder(key) }))?.flatMap(({ said }) => said),
  };
}
