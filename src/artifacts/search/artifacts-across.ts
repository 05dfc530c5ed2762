/** Pages over all trackers. */
import { turnTaking } from '../../core/concurrency/others-turn.js';
import { type Query, type StartKey } from '../../core/read-models.js';
import { type PageQuery } from '../../http/pages/pagination.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactsOf, type ArtifactPage } from '../queries.js';
import { type Reading } from '../representation/reading.js';
import { type Since } from '../schemas.js';

interface Across extends ArtifactPage {
  /** Where its last artifact stands, whether or not more follow. */
  readonly end: StartKey | null;
}

/** The artifacts of all trackers that the viewer sees: by tracker, then by id. The value of a place is its tracker. */
export async function artifactsAcross(since: Since, page: PageQuery, reading: Reading): Promise<ArtifactPage> {
  let across: Across = { items: [], rest: [], total: 0, last: null, end: null };
  const turn = turnTaking();
  for (const { id } of visibleTrackers(reading)) {
    await turn();
    reading.gone?.throwIfAborted();
    const tracker = reading.definitions.tracker(id);
    // The searches before may have had to wait.
    if (tracker === undefined || !reading.viewer.canSeeTracker(tracker)) continue;
    const missing = page.limit - across.items.length - across.rest.length;
    const slice = sliceOf(tracker, { ...page, limit: missing, offset: Math.max(0, page.offset - across.total) });
    const found = await artifactsOf(tracker, { since, direction: 'asc', ...slice }, reading);
    const follows = found.last !== null || (missing === 0 && found.total > 0);
    const joined = join(across, found, tracker.id);
    across = { ...joined, last: follows ? joined.end : across.last };
  }
  return across;
}

/** Of the trackers before the place the totals alone are asked. */
function sliceOf(
  { id }: CompiledTracker,
  { limit, offset, after }: PageQuery,
): Pick<Query, 'limit' | 'offset' | 'after'> {
  if (after === undefined) return { limit, offset };
  const [trackerId] = after.values;
  if (id === trackerId) return { limit, offset: 0, after: { id: after.id, values: [] } };
  return { limit: id < Number(trackerId) ? 0 : limit, offset: 0 };
}

function join(before: Across, found: ArtifactPage, trackerId: number): Across {
  const total = before.total + found.total;
  const ids = [...found.items.map(({ id }) => id), ...found.rest];
  const id = ids.at(-1);
  const end = id === undefined ? before.end : { id, values: [trackerId] };
  return before.items.length + before.rest.length === 0
    ? { ...found, total, end }
    : { ...before, rest: [...before.rest, ...ids], total, end };
}

/** By id. */
export function visibleTrackers({ definitions, viewer }: Reading): readonly CompiledTracker[] {
  return definitions
    .projects()
    .flatMap(({ id }) => definitions.trackersOf(id))
    .filter((tracker) => viewer.canSeeTracker(tracker))
    .sort((a, b) => a.id - b.id);
}
