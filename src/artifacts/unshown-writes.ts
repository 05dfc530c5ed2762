/** Writes that were answered before the read models showed them. This process does not show what was before them. */
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/bounds.js';
import { type Viewer } from '../authorization/viewer.js';
import { type Position } from '../core/event-log.js';
import { temporarilyUnavailable } from '../core/problem.js';
import { type ReadModels } from '../core/read-models.js';
import { type Route } from '../http/route.js';
import { ARTIFACTS } from './artifact-view.js';

type Shown = Pick<ReadModels, 'caughtUp'>;

const MOST_REMEMBERED = 50_000;
/** A log that was restored may never get to a position again. */
const REMEMBERED_MS = 3_600_000;
/** Ten times as long while the read models get further. */
const PATIENCE_MS = 200;

const known = new WeakMap<Shown, LRUCache<number, Position>>();

function unshownIn(readModels: Shown): LRUCache<number, Position> {
  const unshown = known.get(readModels) ?? new LRUCache({ ...atMost(MOST_REMEMBERED), ttl: REMEMBERED_MS });
  known.set(readModels, unshown);
  return unshown;
}

/** Waits until the read models show what was written to these artifacts. Remembers it if their patience is over before. */
export async function shown(
  artifactIds: readonly number[],
  position: Position | null,
  readModels: Shown,
): Promise<void> {
  if (position === null || (await readModels.caughtUp(ARTIFACTS, position))) return;
  const unshown = unshownIn(readModels);
  for (const id of artifactIds) if ((unshown.get(id) ?? '') < position) unshown.set(id, position);
}

/** Waits for some moments until the read models show what this process wrote to the artifact. Throws if they do not. */
export async function refuseUnshown(artifactId: number, readModels: Shown): Promise<void> {
  const unshown = unshownIn(readModels);
  const position = unshown.size === 0 ? undefined : unshown.get(artifactId);
  if (position === undefined) return;
  if (!(await readModels.caughtUp(ARTIFACTS, position, PATIENCE_MS))) {
    throw temporarilyUnavailable('the last change of the artifact cannot be shown yet');
  }
  if (unshown.get(artifactId) === position) unshown.delete(artifactId);
}

/** Routes that read one artifact. They wait until it can be shown as this process has written it. */
export const readingOwnWrites = (
  routes: readonly Route<Viewer>[],
  { readModels }: { readonly readModels: Shown },
): readonly Route<Viewer>[] =>
  routes.map((route) => {
    const handle: typeof route.handle = async (request) => {
      const { id }: { readonly id: number } = request.params;
      await refuseUnshown(id, readModels);
      await route.handle(request);
      const { state } = request.ctx;
      const { stillHolds } = state;
      if (stillHolds !== undefined) state.stillHolds = () => !unshownIn(readModels).has(id) && stillHolds();
    };
    return { ...route, handle };
  });
