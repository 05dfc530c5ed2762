import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoServerError, type Collection, type Db, type OptionalUnlessRequiredId } from 'mongodb';
import { passes, within } from '../../core/concurrency/pause.js';
import { retry } from '../../core/concurrency/retry.js';
import { LeaseLost, LeaseRefused, type Lease, type Leases } from '../../core/lease.js';
import { Problem } from '../../core/problem.js';
import { unavailable } from './connection.js';
import { inserted } from './duplicate-key.js';
import { serverTime } from './server-time.js';
import { ensureProjection, projectionDocuments, type StoredLease } from './projection-documents.js';

/** What a lease needs of the document that it is kept in. */
interface Leased {
  readonly _id: string;
  /** Grows with each new holder. */
  readonly token: number;
  readonly lease: StoredLease | null;
}

/** In milliseconds. */
export interface LeaseTiming {
  readonly lasts: number;
  readonly renewedEvery: number;
  /** How often those who wait look whether it has become free. */
  readonly askedEvery: number;
}

/** A killed holder is replaced within `lasts` and `askedEvery`. */
export const LEASE_TIMING: LeaseTiming = { lasts: 6000, renewedEvery: 1500, askedEvery: 1000 };

/** If the server does not answer, the lease expires by itself. */
const RELEASED_WITHIN_MS = 1000;

interface MongoLeasesOptions {
  readonly db: Db;
  /** Its documents have the lease's members among others. */
  readonly collection: Collection<Leased>;
  /** Makes the document of that name where it is missing. */
  readonly prepare: (name: string) => Promise<void>;
  readonly timing?: LeaseTiming;
  /** Whether a lease that the server refuses to write ends the acquisition. Otherwise it is retried. */
  readonly refusable?: boolean;
  /** Called with failures that are retried. */
  readonly onError?: (error: unknown) => void;
}

interface Context extends Required<MongoLeasesOptions> {
  readonly holder: string;
}

interface MongoLeases extends Leases {
  /** Does not wait: null while another process holds it. */
  acquireIfFree(name: string): Promise<Lease | null>;
}

function mongoLeases(options: MongoLeasesOptions): MongoLeases {
  const context: Context = {
    timing: LEASE_TIMING,
    refusable: false,
    onError: () => undefined,
    ...options,
    holder: randomUUID(),
  };
  return {
    acquire: (name, signal) => acquire(context, name, signal),
    acquireIfFree: (name) => acquireIfFree(context, name),
  };
}

/** Leases that stand for themselves, in a collection of their own. */
export function lockLeases(db: Db, options: Pick<MongoLeasesOptions, 'timing' | 'onError'> = {}): Leases {
  const collection = db.collection<Leased>('leases');
  const free = (name: string): OptionalUnlessRequiredId<Leased> => ({ _id: name, token: 0, lease: null });
  const prepare = async (name: string): Promise<void> => {
    await inserted(() => collection.insertOne(free(name)));
  };
  return mongoLeases({ db, collection, prepare, refusable: true, ...options });
}

/** By the ids of the documents that hold the state of projections: what is written there can be guarded by the token. */
export function projectionLeases(db: Db, options: Pick<MongoLeasesOptions, 'timing' | 'onError'> = {}): MongoLeases {
  const documents = projectionDocuments(db);
  const collection = db.collection<Leased>(documents.collectionName);
  return mongoLeases({ db, collection, prepare: (id) => ensureProjection(documents, id), ...options });
}

async function acquire(context: Context, name: string, signal: AbortSignal): Promise<Lease> {
  const { askedEvery } = context.timing;
  const pauses = { firstPauseMs: askedEvery, longestPauseMs: askedEvery };
  for (;;) {
    const lease = await retry(() => acquireUnlessRefused(context, name), signal, context.onError, pauses);
    if (lease instanceof LeaseRefused) throw lease;
    if (lease !== null) return lease;
    await passes(askedEvery, signal);
  }
}

async function acquireUnlessRefused(context: Context, name: string): Promise<Lease | LeaseRefused | null> {
  try {
    return await acquireIfFree(context, name);
  } catch (error) {
    const isRefusal = error instanceof MongoServerError && !(unavailable(error) instanceof Problem);
    if (!isRefusal || !context.refusable) throw error;
    return new LeaseRefused(`MongoDB refuses the lease of ${name}: ${error.message}`, { cause: error });
  }
}

async function acquireIfFree(context: Context, name: string): Promise<Lease | null> {
  const asked = performance.now();
  const token = await taken(context, name);
  return token === null ? null : held(context, name, token, asked);
}

/** The new token, or null while another process holds the lease. */
async function taken({ db, collection, prepare, holder, timing }: Context, name: string): Promise<number | null> {
  await prepare(name);
  const now = await serverTime(db);
  // What ends later than any lease was given by a server whose clock was ahead.
  const later = new Date(now.getTime() + 2 * timing.lasts);
  const isOver = { $or: [{ lease: null }, { 'lease.expiresAt': { $lt: now } }, { 'lease.expiresAt': { $gt: later } }] };
  const free = { _id: name, ...isOver };
  const lease = { holder, expiresAt: new Date(now.getTime() + timing.lasts) };
  const found = await collection.findOneAndUpdate(
    free,
    { $set: { lease }, $inc: { token: 1 } },
    { returnDocument: 'after' },
  );
  return found?.token ?? null;
}

function held(context: Context, name: string, token: number, asked: number): Lease {
  const losing = new AbortController();
  const over = new AbortController();
  const renewed = keep(context, name, token, asked, over.signal)
    .catch((error: unknown) => {
      losing.abort(error);
    })
    .then(() => undefined);
  return {
    token,
    lost: losing.signal,
    release: async () => {
      over.abort();
      await renewed;
      if (losing.signal.aborted) return;
      const released = context.collection.updateOne({ _id: name, token }, { $set: { lease: null } });
      await within(RELEASED_WITHIN_MS, released).catch(context.onError);
    },
  };
}

/** Renews until the signal aborts; throws once the lease is lost. */
async function keep(context: Context, name: string, token: number, asked: number, signal: AbortSignal): Promise<void> {
  const { timing, onError } = context;
  let certain = asked + timing.lasts;
  while (await passes(Math.min(timing.renewedEvery, certain - performance.now()), signal)) {
    const began = performance.now();
    const outcome = await Promise.race([
      renew(context, name, token).catch((error: unknown) => {
        onError(error);
        return 'unknown' as const;
      }),
      sleep(Math.max(0, certain - began), 'late' as const, { ref: false, signal }).catch(() => 'over' as const),
    ]);
    if (outcome === 'gone' || (outcome !== 'renewed' && performance.now() >= certain)) throw new LeaseLost(name);
    if (outcome === 'renewed') certain = began + timing.lasts;
  }
}

async function renew(
  { db, collection, holder, timing }: Context,
  name: string,
  token: number,
): Promise<'renewed' | 'gone'> {
  const now = await serverTime(db);
  const { matchedCount } = await collection.updateOne(
    { _id: name, token, 'lease.holder': holder },
    { $set: { 'lease.expiresAt': new Date(now.getTime() + timing.lasts) } },
  );
  return matchedCount === 1 ? 'renewed' : 'gone';
}
