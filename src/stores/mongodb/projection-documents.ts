/** The state of each version of a projection, in one document: what has to change together is changed by one update. */
import { type Collection, type Db } from 'mongodb';
import { type Position } from '../../core/event-log.js';
import { type Generation } from '../../core/projection.js';
import { isDuplicate } from './duplicate-key.js';
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
  /** Position of the last mark; left out without any. */
  readonly marked?: Position;
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

/** Of releases that kept one state for all versions of a projection. They take every document there for their own. */
export function unversionedDocuments(db: Db): Collection<StoredProjection> {
  return db.collection<StoredProjection>('projections');
}

/** Leaves a document that is there as it is. */
export async function ensureProjection(documents: Collection<StoredProjection>, id: string): Promise<void> {
  try {
    await documents.insertOne({
      _id: id,
      token: 0,
      lease: null,
      version: 0,
      lastRun: firstRunAfter(id),
      serving: null,
      runs: {},
      status: null,
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}
