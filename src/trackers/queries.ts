/** What the GET routes of trackers answer, apart from HTTP. */
import { invalidIn, Problem } from '../core/problem.js';
import { expectTrue } from '../http/json-parameter.js';
import { visibleProject } from '../projects/queries.js';
import { type CompiledTracker } from './compiled-tracker.js';
import { type Field } from './field-types/definition.js';
import { reportsOf, type Report } from './report.js';
import { type TrackerDefinitions } from './tracker-definitions.js';
import { type TrackerRights } from './tracker-rights.js';

/** 403 if its project is out of reach. Within the project, a hidden tracker is answered like a missing one. */
export function visibleTracker(definitions: TrackerDefinitions, viewer: TrackerRights, id: number): CompiledTracker {
  const tracker = definitions.tracker(id);
  if (tracker === undefined) throw notFound();
  visibleProject(definitions, viewer, tracker.view.projectId);
  if (!viewer.canSeeTracker(tracker)) throw notFound();
  return tracker;
}

/** A field that a path names, as the viewer may read it. An unreadable field is answered like a missing one. */
function readableField(definitions: TrackerDefinitions, viewer: TrackerRights, id: number): Field {
  const tracker = definitions.trackerOfField(id);
  if (tracker === undefined) throw noField();
  visibleProject(definitions, viewer, tracker.view.projectId);
  const field = viewer.canSeeTracker(tracker) ? viewer.readable(tracker).fieldById(id) : undefined;
  if (field === undefined) throw noField();
  return field;
}

/** An open list that a path names, with values of its own. */
export function readableOpenList(definitions: TrackerDefinitions, viewer: TrackerRights, id: number): Field {
  const field = readableField(definitions, viewer, id);
  const { type, bind = 'static' } = field;
  if (type !== 'tbl' || bind !== 'static')
    throw new Problem('not-found', 'This field is not an open list of static values');
  return field;
}

/** By name: those of a tracker that the viewer sees. */
export const visibleReports = (viewer: TrackerRights, tracker: CompiledTracker): readonly Report[] =>
  reportsOf(tracker.view).filter((report) => viewer.canSeeReport(tracker, report));

/** A report that a path names, with its tracker. */
export function visibleReport(
  definitions: TrackerDefinitions,
  viewer: TrackerRights,
  id: number,
): { readonly tracker: CompiledTracker; readonly report: Report } {
  const tracker = definitions.trackerOfReport(id);
  if (tracker === undefined) throw noReport();
  visibleProject(definitions, viewer, tracker.view.projectId);
  const reports = viewer.canSeeTracker(tracker) ? visibleReports(viewer, tracker) : [];
  const report = reports.find((each) => each.id === id);
  if (report === undefined) throw noReport();
  return { tracker, report };
}

const ADMINISTERED = 'is_tracker_admin';

/** By label. */
export function projectTrackers(
  definitions: TrackerDefinitions,
  viewer: TrackerRights,
  projectId: number,
  query: ReadonlyMap<string, unknown>,
): readonly CompiledTracker[] {
  for (const [key, value] of query) {
    if (key !== ADMINISTERED) throw invalidIn('query', `query can only be {"${ADMINISTERED}": true}`);
    expectTrue(key, value);
  }
  const onlyAdministered = query.has(ADMINISTERED);
  return definitions
    .trackersOf(projectId)
    .filter((tracker) => viewer.canSeeTracker(tracker) && (!onlyAdministered || viewer.isTrackerAdmin(tracker)));
}

const noReport = (): Problem => new Problem('not-found', 'This report does not exist, or you may not see it');

const noField = (): Problem => new Problem('not-found', 'This field does not exist, or you may not read it');

const notFound = (): Problem => new Problem('not-found', 'This tracker does not exist, or you have no access to it');
