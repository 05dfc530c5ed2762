/** Removes the read models of earlier releases that no rollback needs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, type Db } from 'mongodb';
import { projectionLeases } from '../leases.js';
import { projectionDocuments, unversionedDocuments, type StoredProjection } from '../projection-documents.js';
import { isRunOf, versionIn } from '../projection-ids.js';
import { dropGenerations } from './documents.js';
import { modelsOf } from './generations.js';
import { removeMarks } from './marks.js';
import { SETTLE_MS } from './timing.js';

interface OlderVersion {
  readonly id: string;
  readonly version: number;
  readonly documents: Collection<StoredProjection>;
}

/** Keeps the previous version, for a rollback, and each version that a worker updates. */
export async function removeOlderVersions(db: Db, id: string): Promise<void> {
  const [, ...superfluous] = await olderVersions(db, id);
  for (const one of superfluous) await removeVersion(db, one);
}

/** The latest first. */
async function olderVersions(db: Db, id: string): Promise<readonly OlderVersion[]> {
  const own = versionIn(id);
  const found = await Promise.all(
    [projectionDocuments(db), unversionedDocuments(db)].map(async (documents) => {
      const ids = await documents.find({}, { projection: { _id: 1 } }).toArray();
      return ids.map((document) => ({ id: document._id, documents, ...versionIn(document._id) }));
    }),
  );
  return found
    .flat()
    .filter(({ name, version }) => name === own.name && version < own.version)
    .sort((a, b) => b.version - a.version);
}

/** An interrupted removal is repeated at the next time: the state document is removed last. */
async function removeVersion(db: Db, { id, documents }: OlderVersion): Promise<void> {
  const lease = await projectionLeases(db, documents).acquireIfFree(id);
  if (lease === null) return;
  try {
    const held = { _id: id, token: lease.token };
    const unserved = { $set: { serving: null } };
    const state = await documents.findOneAndUpdate(held, unserved, { returnDocument: 'after' });
    if (state === null) return;
    // Until then, readers may still use it, and must not find it empty.
    await sleep(SETTLE_MS);
    for (const generation of Object.keys(state.runs)) await removeMarks(db, id, Number(generation));
    await dropGenerations(db, modelsOf(state), (generation) => isRunOf(id, generation));
    await documents.deleteOne(held);
  } finally {
    await lease.release();
  }
}
