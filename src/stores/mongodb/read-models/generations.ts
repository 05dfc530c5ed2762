/** The life of generations: filling, then served, then removed. Only the holder of the lease changes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db } from 'mongodb';
import { retryUntil } from '../../../core/concurrency/retry.js';
import { type Generation } from '../../../core/projection.js';
import { projectionLeases } from '../leases.js';
import {
  ensureProjection,
  projectionDocuments,
  takenOver,
  updateOrThrow,
  updateWhere,
  type Fence,
  type StoredGeneration,
  type StoredProjection,
} from '../projection-documents.js';
import { isRunOf, versionIn } from '../projection-ids.js';
import { collectionName, createDocuments, dropDocuments, dropGenerations } from './documents.js';
import { removeMarks } from './marks.js';
import { SETTLE_MS } from './state.js';

export async function openGeneration(
  fence: Fence,
  projection: string,
  models: readonly string[],
  version: number,
): Promise<Generation> {
  const { db, projections, tokenOf } = fence;
  for (const model of models) collectionName(model, 0);
  await ensureProjection(projections, projection);
  const state = await projections.findOneAndUpdate(
    { _id: projection, token: tokenOf(projection) },
    { $inc: { lastRun: 1 } },
    { returnDocument: 'after' },
  );
  if (state === null) throw takenOver(projection);
  const generation = state.lastRun;
  await removeUnfinished(fence, state, models);
  await Promise.all(models.map((model) => createDocuments(db, model, generation)));
  const empty: StoredGeneration = { version, position: null, models, changed: {} };
  await updateOrThrow(fence, projection, {}, { $set: { [`runs.${generation}`]: empty } });
  return generation;
}

/**
 * Removes what an earlier holder has left half filled, and what one that woke up late has written since. Later
 * generations are left alone: they are of a worker that has taken over. So are those of other versions.
 */
async function removeUnfinished(fence: Fence, state: StoredProjection, models: readonly string[]): Promise<void> {
  const { db } = fence;
  const isUnfinished = (generation: Generation): boolean =>
    isRunOf(state._id, generation) && generation < state.lastRun && generation !== state.serving;
  const named = Object.keys(state.runs).map(Number).filter(isUnfinished);
  if (named.length > 0) await updateOrThrow(fence, state._id, {}, { $unset: nothingOf(...named) });
  for (const generation of named) await removeMarks(db, state._id, generation);
  await dropGenerations(db, [...models, ...modelsOf(state)], isUnfinished);
}

/** Of all generations. */
function modelsOf({ runs }: StoredProjection): readonly string[] {
  return Object.values(runs).flatMap(({ models }) => models);
}

/** For `$unset`. */
function nothingOf(...generations: readonly Generation[]): Record<string, true> {
  return Object.fromEntries(generations.map((generation) => [`runs.${generation}`, true]));
}

/** The checkpoint of the generation that is served may move meanwhile. */
const PATIENCE = { fewestTries: 10, patienceMs: 0 };

/**
 * `switched` is called as soon as readers see the generation, while the previous one still exists. Later failures do
 * not revert the switch.
 */
export async function serveGeneration(
  fence: Fence,
  projection: string,
  generation: Generation,
  switched: () => Promise<void>,
): Promise<boolean> {
  const isServed = await retryUntil(async () => {
    const state = await fence.projections.findOne({ _id: projection });
    if (state === null) return false;
    if (state.token !== fence.tokenOf(projection)) throw takenOver(projection);
    const next = state.runs[generation];
    if (next === undefined) return false;
    if (state.serving === generation) {
      await switched();
      // Of a switch that was cut short, it is unknown for how long it has been seen.
      await sleep(SETTLE_MS);
      return true;
    }
    if (isBehind(next, servedGeneration(state))) return false;
    if (!(await switchTo(fence, state, generation))) return null;
    await switched();
    await removeReplaced(fence, state);
    return true;
  }, PATIENCE);
  if (isServed === null) throw new Error(`${projection} changes too fast to be switched to generation ${generation}`);
  return isServed;
}

function servedGeneration({ serving, runs }: StoredProjection): StoredGeneration | undefined {
  return serving === null ? undefined : runs[serving];
}

function isBehind(next: StoredGeneration, served: StoredGeneration | undefined): boolean {
  return (next.position ?? '') < (served?.position ?? '');
}

/** As the state was read, or not at all. */
export function switchTo(fence: Fence, state: StoredProjection, generation: Generation): Promise<boolean> {
  const { _id, serving } = state;
  if (serving === null) return updateWhere(fence, _id, { serving }, { $set: { serving: generation } });
  const asRead = { serving, [`runs.${serving}.position`]: servedGeneration(state)?.position };
  return updateWhere(fence, _id, asRead, { $set: { serving: generation }, $unset: nothingOf(serving) });
}

/** Nothing happens to either generation before every reader has seen the switch. */
async function removeReplaced({ db }: Fence, { _id, serving, runs }: StoredProjection): Promise<void> {
  if (serving === null) return;
  // Until then, readers may still look there, and must not find it empty.
  await sleep(SETTLE_MS);
  for (const model of runs[serving]?.models ?? []) await dropDocuments(db, model, serving);
  await removeMarks(db, _id, serving);
}

export async function withdrawGeneration(fence: Fence, projection: string): Promise<void> {
  const state = await fence.projections.findOne({ _id: projection });
  if (state === null || state.serving === null) return;
  const { serving } = state;
  await updateOrThrow(fence, projection, { serving }, { $set: { serving: null }, $unset: nothingOf(serving) });
  await removeReplaced(fence, state);
}

export async function discardGeneration(
  fence: Fence,
  projection: string,
  generation: Generation,
  models: readonly string[],
): Promise<void> {
  const { db, projections } = fence;
  const state = await projections.findOne({ _id: projection });
  if (state?.serving === generation) throw new Error(`Generation ${generation} of ${projection} is being served`);
  if (state?.runs[generation] !== undefined) {
    await updateOrThrow(fence, projection, { serving: state.serving }, { $unset: nothingOf(generation) });
  }
  await removeMarks(db, projection, generation);
  for (const model of models) await dropDocuments(db, model, generation);
}

/** Removes the read models of earlier releases. Keeps the previous version, for a rollback, and each version that a worker updates. */
export async function removeOlderVersions(db: Db, id: string): Promise<void> {
  const own = versionIn(id);
  const found = await projectionDocuments(db)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  const older = found
    .map(({ _id }) => ({ _id, ...versionIn(_id) }))
    .filter(({ name, version }) => name === own.name && version < own.version);
  const [, ...superfluous] = older.sort((a, b) => b.version - a.version);
  for (const { _id } of superfluous) await removeVersion(db, _id);
}

/** An interrupted removal is repeated at the next time: the state document is removed last. */
async function removeVersion(db: Db, id: string): Promise<void> {
  const documents = projectionDocuments(db);
  const lease = await projectionLeases(db).acquireIfFree(id);
  if (lease === null) return;
  try {
    const held = { _id: id, token: lease.token };
    const unserved = { $set: { serving: null } };
    const state = await documents.findOneAndUpdate(held, unserved, { returnDocument: 'after' });
    if (state === null) return;
    // Until then, readers may still use it, and must not find it empty.
    await sleep(SETTLE_MS);
    for (const generation of Object.keys(state.runs)) await removeMarks(db, id, Number(generation));
    // Later ones are of a worker that has taken over.
    const isOld = (generation: Generation): boolean => isRunOf(id, generation) && generation <= state.lastRun;
    await dropGenerations(db, modelsOf(state), isOld);
    await documents.deleteOne(held);
  } finally {
    await lease.release();
  }
}
