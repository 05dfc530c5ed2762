/** The state of each version of a projection, in one document: what has to change together is changed by one update. */
import { addAbortListener } from 'node:events';
import { BSON, type Collection, type Db, type Filter, type UpdateFilter } from 'mongodb';
import { type Position } from '../../core/event-log.js';
import { type Generation } from '../../core/projection.js';
import { type Document } from '../../core/read-models.js';
import { inserted } from './duplicate-key.js';
import { firstRunAfter } from './projection-ids.js';

export interface StoredGeneration {
  readonly version: number;
  /** The checkpoint. */
  readonly position: Position | null;
  /** The record of its event, see `recordOf`; left out before the first. */
  readonly event?: string;
  readonly models: readonly string[];
  /**
   * By read model: the checkpoint of the last commit that changed it, from before its first document is written. Beyond
   * the checkpoint: it may be written in part.
   */
  readonly changed: Readonly<Record<string, Position>>;
  /** Workers of earlier releases leave it out, or as it was. */
  readonly recent?: RecentCommits;
  /** Position of the last mark; left out without any. */
  readonly marked?: Position;
}

/** What was announced under one lease: commits that change documents with a stamp. */
export interface RecentCommits {
  readonly token: number;
  /** How many there were. */
  readonly count: number;
  /** The last of them. */
  readonly commits: readonly AnnouncedCommit[];
}

/** By read model. */
export type AnnouncedCommit = Readonly<Record<string, ChangedDocuments>>;

export interface ChangedDocuments {
  readonly ids: readonly Document['id'][];
  /** The documents that these refer to, or referred to before. */
  readonly referredTo: readonly Document['id'][];
}

export interface StoredLease {
  readonly holder: string;
  /** By the server's clock. */
  readonly expiresAt: Date;
}

export interface StoredProjection {
  /** See `projectionIds`. */
  readonly _id: string;
  /**
   * Grows with each new holder of the lease. An update with an older token comes from a worker that has lost the lease.
   */
  readonly token: number;
  readonly lease: StoredLease | null;
  /** Of the projection in the program that holds the lease; 0 before the first. */
  readonly version: number;
  /** Numbers of generations are never used twice. */
  readonly lastRun: Generation;
  readonly serving: Generation | null;
  /** By their numbers. */
  readonly runs: Readonly<Record<string, StoredGeneration>>;
  /** The last status of the holder of the lease, as JSON data. */
  readonly status: unknown;
}

export function projectionDocuments(db: Db): Collection<StoredProjection> {
  return db.collection<StoredProjection>('projection-versions');
}

/** A connection that has no answer by then may have lost it: the next look takes another one. */
const LOST_AFTER_MS = 3000;

/** Reads them again and again. What is as it was the last time is the same object: most looks find nothing new. */
export function lookingAt(
  documents: Collection<StoredProjection>,
  ids: readonly string[],
  signal: AbortSignal,
): () => Promise<readonly StoredProjection[]> {
  const filter = { _id: { $in: [...ids] } };
  let last: readonly { readonly bytes: Buffer; readonly document: StoredProjection }[] = [];
  return async () => {
    const read = await untilLost(signal, (lost) =>
      documents.find<Buffer>(filter, { signal: lost, raw: true }).toArray(),
    );
    last = read.map((bytes, index) => {
      const known = last[index];
      if (known?.bytes.equals(bytes) === true) return known;
      return { bytes, document: BSON.deserialize(bytes) as StoredProjection };
    });
    return last.map(({ document }) => document);
  };
}

/** The driver ends the connection of a query whose signal aborts. Not by `AbortSignal.any`, which may stay in memory. */
async function untilLost<T>(signal: AbortSignal, query: (lost: AbortSignal) => Promise<T>): Promise<T> {
  const losing = new AbortController();
  const timer = setTimeout(() => {
    losing.abort(new DOMException('MongoDB does not answer', 'TimeoutError'));
  }, LOST_AFTER_MS);
  const { [Symbol.dispose]: leave } = addAbortListener(signal, () => {
    losing.abort(signal.reason);
  });
  try {
    return await query(losing.signal);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** Leaves a document that is there as it is. */
export async function ensureProjection(documents: Collection<StoredProjection>, id: string): Promise<void> {
  const state = {
    token: 0,
    lease: null,
    version: 0,
    lastRun: firstRunAfter(id),
    serving: null,
    runs: {},
    status: null,
  };
  await inserted(() => documents.insertOne({ _id: id, ...state }));
}

/** For changes that only the holder of a projection's lease can make. */
export interface Fence {
  readonly db: Db;
  readonly projections: Collection<StoredProjection>;
  /** Of the lease under which this process writes the projection. */
  readonly tokenOf: (projection: string) => number;
}

/** False when the token is not the last one any more, or the document is not as the filter says. */
export async function updateWhere(
  { projections, tokenOf }: Fence,
  projection: string,
  filter: Filter<StoredProjection>,
  change: UpdateFilter<StoredProjection>,
): Promise<boolean> {
  const held = { ...filter, _id: projection, token: tokenOf(projection) };
  return (await projections.updateOne(held, change)).matchedCount === 1;
}

/** The same, but another token, or another document, is an error. */
export async function updateOrThrow(
  fence: Fence,
  projection: string,
  filter: Filter<StoredProjection>,
  change: UpdateFilter<StoredProjection>,
): Promise<void> {
  if (!(await updateWhere(fence, projection, filter, change))) throw takenOver(projection);
}

export function takenOver(projection: string): Error {
  return new Error(`Another worker has taken over ${projection}`);
}

/** Raises members of a generation's state. A missing generation was removed by a later holder of the lease. */
export async function raise(
  fence: Fence,
  projection: string,
  generation: Generation,
  values: Readonly<Record<string, string>>,
  recent?: RecentCommits,
): Promise<void> {
  const run = `runs.${generation}`;
  const exists = { [`${run}.version`]: { $exists: true } };
  const $max = Object.fromEntries(Object.entries(values).map(([name, value]) => [`${run}.${name}`, value]));
  if (recent === undefined) {
    await updateOrThrow(fence, projection, exists, { $max });
    return;
  }
  const { token, count } = recent;
  // A late announcement does not take the place of one that came after it.
  const isNext = { $or: [{ [`${run}.recent.token`]: { $ne: token } }, { [`${run}.recent.count`]: { $lt: count } }] };
  await updateOrThrow(fence, projection, { ...exists, ...isNext }, { $max, $set: { [`${run}.recent`]: recent } });
}
