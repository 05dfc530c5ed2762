/** Runs that are there already and that a projection can go on with: those of its version. */
import { type ReadModelStore, type Run } from '../src/core/projection.js';
import { type AnyProjection, type Target } from './apply.js';

export async function servedTarget(store: ReadModelStore, projection: AnyProjection): Promise<Target | null> {
  return targetOf(store, projection, await store.serving(projection.name));
}

/** What was served before, where a release has been rolled back. */
export async function keptTarget(store: ReadModelStore, projection: AnyProjection): Promise<Target | null> {
  return targetOf(store, projection, await store.previous(projection.name));
}

async function targetOf(store: ReadModelStore, projection: AnyProjection, run: Run | null): Promise<Target | null> {
  if (run === null) return null;
  const checkpoint = await store.checkpoint(projection.name, run);
  return checkpoint?.version === projection.version ? { projection, run, position: checkpoint.position } : null;
}
