import { type Db } from 'mongodb';
import { type Lease } from '../../core/lease.js';
import { projectionLeases } from './leases.js';
import { projectionDocuments } from './projection-documents.js';

/** Longer than the lease of a worker that was killed. */
const PATIENCE_MS = 10_000;

/**
 * Whoever runs the projections next fills all read models from the log, and removes those that there were. Throws while
 * somebody keeps them up to date.
 */
export async function resetMongoReadModels(db: Db, patienceMs = PATIENCE_MS): Promise<void> {
  const names = await projectionDocuments(db)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  const patience = AbortSignal.timeout(patienceMs);
  for (const { _id: name } of names) await forget(db, name, patience);
}

async function forget(db: Db, name: string, patience: AbortSignal): Promise<void> {
  const lease = await acquired(db, name, patience);
  try {
    const nothing = { serving: null, previous: null, runs: {}, begun: {}, status: null };
    const documents = projectionDocuments(db);
    const { matchedCount } = await documents.updateOne({ _id: name, token: lease.token }, { $set: nothing });
    if (matchedCount === 0) throw new Error(`Another process has taken over ${name}`);
  } finally {
    await lease.release();
  }
}

async function acquired(db: Db, name: string, patience: AbortSignal): Promise<Lease> {
  let lastError: unknown;
  const leases = projectionLeases(db, { onError: (error) => (lastError = error) });
  try {
    return await leases.acquire(name, patience);
  } catch (cause) {
    if (!patience.aborted) throw cause;
    const reason = lastError instanceof Error ? lastError.message : 'a service, or a worker, keeps them up to date';
    throw new Error(`The read models of ${name} cannot be replaced: ${reason}`, { cause });
  }
}
