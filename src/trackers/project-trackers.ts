/** The trackers of a project. */
import { othersTurn } from '../core/concurrency/others-turn.js';
import { Problem } from '../core/problem.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { jsonList, sendTexts } from '../http/send-json.js';
import { idParam } from '../http/validate.js';
import { visibleProject } from '../projects/visible-project.js';
import { type CompiledTracker } from './compiled-tracker.js';
import { minimalTracker, trackerTexts } from './representation.js';
import { minimalTrackerSchema, trackerSchema } from './schemas.js';
import { type TrackerDirectory } from './tracker-directory.js';
import { type TrackerRights } from './tracker-rights.js';

interface Id {
  readonly id: number;
}

const PAGE = 10;
const MAX_PAGE = 50;

interface TrackersQuery extends PageQuery {
  readonly query?: string;
  readonly representation: 'full' | 'minimal';
}

const trackersQuery = pageQuery(PAGE, MAX_PAGE, {
  query: { type: 'string', description: '{"is_tracker_admin": true}: those that the reader administers' },
  representation: { enum: ['full', 'minimal'], default: 'full' },
});

export const projectTrackersRoute = (directory: TrackerDirectory): Route<TrackerRights> =>
  route<TrackerRights, Id, TrackersQuery>({
    method: 'GET',
    path: '/projects/:id/trackers',
    access: 'hybrid',
    summary: 'The trackers of a project that the reader sees, by label, whole or in their minimal form.',
    params: idParam(),
    query: trackersQuery,
    responses: {
      200: { description: 'A page of trackers', schema: listOf({ anyOf: [trackerSchema, minimalTrackerSchema] }) },
    },
    async handle({ ctx, params, query: { limit, offset, query, representation }, viewer }) {
      const project = visibleProject(directory, viewer, params.id);
      const trackers = projectTrackers(directory, viewer, project.id, jsonObjectParameter('query', query));
      setPage(ctx, { limit, offset, total: trackers.length, max: MAX_PAGE });
      const page = trackers.slice(offset, offset + limit);
      if (representation === 'minimal') ctx.body = page.map((tracker) => minimalTracker(tracker, directory));
      else await sendTexts(ctx, jsonList(wholeTrackers(page, directory, viewer)));
    },
  });

/** Others have their turn between two trackers. */
async function* wholeTrackers(
  trackers: readonly CompiledTracker[],
  directory: TrackerDirectory,
  viewer: TrackerRights,
) {
  for (const tracker of trackers) {
    let text = '';
    for await (const part of trackerTexts(tracker, directory, viewer)) text += part;
    yield [text];
    await othersTurn();
  }
}

/** By label. */
function projectTrackers(
  directory: TrackerDirectory,
  viewer: TrackerRights,
  projectId: number,
  query: ReadonlyMap<string, unknown>,
): readonly CompiledTracker[] {
  if ([...query].some(([key, value]) => key !== 'is_tracker_admin' || value !== true)) {
    throw new Problem('invalid', 'query can only be {"is_tracker_admin": true}');
  }
  const onlyAdministered = query.has('is_tracker_admin');
  return directory
    .trackersOf(projectId)
    .filter((tracker) => viewer.canSeeTracker(tracker) && (!onlyAdministered || viewer.isTrackerAdmin(tracker)));
}
