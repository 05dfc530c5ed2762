import { type Db } from 'mongodb';
import { type Lease } from '../../core/lease.js';
import { projectionLeases } from './leases.js';
import { projectionDocuments } from './projection-documents.js';

/** Longer than the lease of a worker that was killed. */
const PATIENCE_MS = 10_000;

/**
 * The next worker of any release fills all read models from the log, and removes the old ones. Throws while a process
 * keeps them up to date.
 */
export async function resetMongoReadModels(db: Db, patienceMs = PATIENCE_MS): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs);
  const ids = await projectionDocuments(db)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  for (const { _id: id } of ids) await forget(db, id, patience);
}

async function forget(db: Db, id: string, patience: AbortSignal): Promise<void> {
  const lease = await acquired(db, id, patience);
  try {
    // Of its generations it still knows the names, by which the next worker removes them.
    const nothing = { serving: null, status: null };
    const { matchedCount } = await projectionDocuments(db).updateOne(
      { _id: id, token: lease.token },
      { $set: nothing },
    );
    if (matchedCount === 0) throw new Error(`Another process has taken over ${id}`);
  } finally {
    await lease.release();
  }
}

async function acquired(db: Db, id: string, patience: AbortSignal): Promise<Lease> {
  let lastError: unknown;
  const leases = projectionLeases(db, { onError: (error) => (lastError = error) });
  try {
    return await leases.acquire(id, patience);
  } catch (cause) {
    const reason = lastError instanceof Error ? lastError.message : 'a service, or a worker, keeps them up to date';
    throw new Error(`The read models of ${id} cannot be replaced: ${reason}`, { cause });
  }
}
