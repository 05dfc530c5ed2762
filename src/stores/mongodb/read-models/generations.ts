/** The life of runs: filling, then served, then kept for a rollback, then removed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Run } from '../../../core/projection.js';
import { ensureProjection, type StoredProjection, type StoredRun } from '../projection-documents.js';
import { collectionName, createDocuments, dropDocuments, runIn } from './documents.js';
import { takenOver, updateWhere, type Fence } from './fenced-updates.js';
import { removeMarks } from './marks.js';
import { SETTLE_MS } from './timing.js';

export async function openRun(
  fence: Fence,
  projection: string,
  models: readonly string[],
  version: number,
): Promise<Run> {
  const { db, projections, tokenOf } = fence;
  for (const model of models) collectionName(model, 0);
  await ensureProjection(projections, projection);
  const state = await projections.findOneAndUpdate(
    { _id: projection, token: tokenOf(projection) },
    { $inc: { lastRun: 1 } },
    { returnDocument: 'after' },
  );
  if (state === null) throw takenOver(projection);
  const run = state.lastRun;
  await removeUnfinished(fence, state, models);
  await Promise.all(models.map((model) => createDocuments(db, model, run)));
  const empty: StoredRun = { version, position: null, writing: false, models, changed: {} };
  if (!(await updateWhere(fence, projection, {}, { $set: { [`runs.${run}`]: empty } }))) throw takenOver(projection);
  return run;
}

/**
 * Removes what an earlier holder has left half filled, and what one that woke up late has written since. Later runs are
 * left alone: they are of somebody who has taken over.
 */
async function removeUnfinished(fence: Fence, state: StoredProjection, models: readonly string[]): Promise<void> {
  const { db } = fence;
  const kept = [state.serving, state.previous];
  const isUnfinished = (run: Run): boolean => run < state.lastRun && !kept.includes(run);
  const named = Object.keys(state.runs).map(Number).filter(isUnfinished);
  if (named.length > 0) {
    const $unset: Record<string, true> = Object.fromEntries(named.flatMap((run) => Object.entries(nothingOf(run))));
    if (!(await updateWhere(fence, state._id, {}, { $unset }))) throw takenOver(state._id);
  }
  for (const run of named) await removeMarks(db, state._id, run);
  const all = new Set([...models, ...Object.values(state.runs).flatMap((run) => run.models)]);
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    for (const model of all) {
      const run = runIn(name, model);
      if (run !== null && isUnfinished(run)) await dropDocuments(db, model, run);
    }
  }
}

/** For `$unset`. */
function nothingOf(run: Run): Record<string, true> {
  return { [`runs.${run}`]: true, [`begun.${run}`]: true };
}

/** The checkpoint of the run that is served may move meanwhile. */
const MOST_TRIES = 10;

/** `switched` is called as soon as readers see the run: whatever fails after that, it is served. */
export async function serveRun(fence: Fence, projection: string, run: Run, switched: () => void): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const state = await fence.projections.findOne({ _id: projection });
    if (state === null) return false;
    if (state.token !== fence.tokenOf(projection)) throw takenOver(projection);
    const next = state.runs[run];
    if (next === undefined) return false;
    if (state.serving === run) {
      switched();
      // Of a switch that was cut short, nobody knows for how long it has been seen.
      await sleep(SETTLE_MS);
      return true;
    }
    const served = servedRun(state);
    if (isBehind(next, served)) return false;
    if (await switchTo(fence, state, run)) {
      switched();
      await afterSwitch(fence, state, run);
      return true;
    }
  }
  throw new Error(`${projection} changes too fast to be switched to run ${run}`);
}

function servedRun({ serving, runs }: StoredProjection): StoredRun | undefined {
  return serving === null ? undefined : runs[serving];
}

function isBehind(next: StoredRun, served: StoredRun | undefined): boolean {
  const reached = served?.position ?? null;
  return reached !== null && (next.position === null || next.position < reached);
}

/** The run that the switch makes superfluous. */
function outdated({ previous }: StoredProjection, run: Run): Run | null {
  return previous === run ? null : previous;
}

/** As the state was read, or not at all. */
export function switchTo(fence: Fence, state: StoredProjection, run: Run): Promise<boolean> {
  const { _id, serving } = state;
  const removed = outdated(state, run);
  const asRead = { serving, ...(serving === null ? {} : { [`runs.${serving}.position`]: servedRun(state)?.position }) };
  return updateWhere(fence, _id, asRead, {
    $set: { serving: run, previous: serving },
    ...(removed === null ? {} : { $unset: nothingOf(removed) }),
  });
}

/** Nothing happens to either run before every reader has seen the switch. */
async function afterSwitch({ db }: Fence, state: StoredProjection, run: Run): Promise<void> {
  if (state.serving !== null) await sleep(SETTLE_MS);
  const removed = outdated(state, run);
  if (removed === null) return;
  await removeMarks(db, state._id, removed);
  for (const model of state.runs[removed]?.models ?? []) await dropDocuments(db, model, removed);
}

export async function withdrawRun(fence: Fence, projection: string): Promise<void> {
  const { db, projections } = fence;
  const state = await projections.findOne({ _id: projection });
  if (state === null || state.serving === null) return;
  const { serving } = state;
  const update = { $set: { serving: null }, $unset: nothingOf(serving) };
  if (!(await updateWhere(fence, projection, { serving }, update))) throw takenOver(projection);
  // Until then, readers may still look there, and must not find it empty.
  await sleep(SETTLE_MS);
  for (const model of state.runs[serving]?.models ?? []) await dropDocuments(db, model, serving);
  await removeMarks(db, projection, serving);
}

export async function discardRun(fence: Fence, projection: string, run: Run, models: readonly string[]): Promise<void> {
  const { db, projections } = fence;
  const state = await projections.findOne({ _id: projection });
  if (state?.serving === run) throw new Error(`Run ${run} of ${projection} is being served`);
  if (state?.runs[run] !== undefined) {
    const previous = state.previous === run ? null : state.previous;
    const update = { $set: { previous }, $unset: nothingOf(run) };
    if (!(await updateWhere(fence, projection, { serving: state.serving }, update))) throw takenOver(projection);
  }
  await removeMarks(db, projection, run);
  for (const model of models) await dropDocuments(db, model, run);
}
