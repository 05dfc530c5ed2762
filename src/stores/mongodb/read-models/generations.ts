/** The life of generations: filling, then served, then removed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { retryUntil } from '../../../core/concurrency/retry.js';
import { type Generation } from '../../../core/projection.js';
import { isRunOf } from '../projection-ids.js';
import { ensureProjection, type StoredProjection, type StoredGeneration } from '../projection-documents.js';
import { collectionName, createDocuments, dropDocuments, dropGenerations } from './documents.js';
import { takenOver, updateWhere, type Fence } from './fenced-updates.js';
import { removeMarks } from './marks.js';
import { SETTLE_MS } from './timing.js';

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
  if (!(await updateWhere(fence, projection, {}, { $set: { [`runs.${generation}`]: empty } })))
    throw takenOver(projection);
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
  if (named.length > 0) {
    const $unset: Record<string, true> = Object.fromEntries(
      named.flatMap((generation) => Object.entries(nothingOf(generation))),
    );
    if (!(await updateWhere(fence, state._id, {}, { $unset }))) throw takenOver(state._id);
  }
  for (const generation of named) await removeMarks(db, state._id, generation);
  await dropGenerations(db, [...models, ...modelsOf(state)], isUnfinished);
}

/** Of all generations. */
export function modelsOf({ runs }: StoredProjection): readonly string[] {
  return Object.values(runs).flatMap(({ models }) => models);
}

/** For `$unset`. */
function nothingOf(generation: Generation): Record<string, true> {
  return { [`runs.${generation}`]: true };
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
  const reached = served?.position ?? null;
  return reached !== null && (next.position === null || next.position < reached);
}

/** As the state was read, or not at all. */
export function switchTo(fence: Fence, state: StoredProjection, generation: Generation): Promise<boolean> {
  const { _id, serving } = state;
  const asRead = {
    serving,
    ...(serving === null ? {} : { [`runs.${serving}.position`]: servedGeneration(state)?.position }),
  };
  return updateWhere(fence, _id, asRead, {
    $set: { serving: generation },
    ...(serving === null ? {} : { $unset: nothingOf(serving) }),
  });
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
  const update = { $set: { serving: null }, $unset: nothingOf(serving) };
  if (!(await updateWhere(fence, projection, { serving }, update))) throw takenOver(projection);
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
    const update = { $unset: nothingOf(generation) };
    if (!(await updateWhere(fence, projection, { serving: state.serving }, update))) throw takenOver(projection);
  }
  await removeMarks(db, projection, generation);
  for (const model of models) await dropDocuments(db, model, generation);
}
