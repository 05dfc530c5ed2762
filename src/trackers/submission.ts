/** What stands in the way of a new artifact: of any in this tracker, and of one that is given a title alone. */
import { type CompiledTracker } from './compiled-tracker.js';
import { defaultsFor, requiredMissing } from './field-types/defaults.js';
import { type Field } from './field-types/definition.js';
import { type TrackerDefinitions } from './tracker-definitions.js';
import { type TrackerRights } from './tracker-rights.js';

/** Site administrators can read suspended projects; no user can write them. */
export function suspension(tracker: CompiledTracker, definitions: TrackerDefinitions): string | undefined {
  const isSuspended = definitions.project(tracker.view.projectId)?.status === 'suspended';
  return isSuspended ? 'The project of this tracker is suspended' : undefined;
}

/** Why the viewer may submit nothing. Without the right to fill in what the tracker requires, nothing can be submitted. */
export function submissionFault(
  tracker: CompiledTracker,
  definitions: TrackerDefinitions,
  viewer: TrackerRights,
): string | undefined {
  const suspended = suspension(tracker, definitions);
  if (suspended !== undefined) return suspended;
  if (!viewer.canSubmit(tracker)) return 'You may not submit artifacts to this tracker';
  const barred = lacking(tracker, viewer).find((field) => !viewer.mayWrite('submit', tracker, field));
  return barred && barredField(barred);
}

/** Every reason why the viewer cannot create an artifact by its title. */
export function titleAloneFaults(
  tracker: CompiledTracker,
  definitions: TrackerDefinitions,
  viewer: TrackerRights,
): readonly string[] {
  const others = lacking(tracker, viewer).filter(({ id }) => id !== tracker.view.semantics.title);
  const faults = [
    submissionFault(tracker, definitions, viewer),
    titleFault(tracker, viewer),
    others.length > 0 ? `This tracker requires more than a title: ${named(others)}` : undefined,
  ];
  return [...new Set(faults.filter((fault) => fault !== undefined))];
}

/** A field that the viewer may neither read nor submit is unknown. */
function titleFault(tracker: CompiledTracker, viewer: TrackerRights): string | undefined {
  const { title: id = 0 } = tracker.view.semantics;
  const title = tracker.fieldById(id);
  if (title !== undefined && viewer.mayWrite('submit', tracker, title)) return undefined;
  const readable = viewer.readable(tracker).fieldById(id);
  return readable === undefined ? 'This tracker has no title' : barredField(readable);
}

/** Required fields that the viewer may read, and that have no default. */
const lacking = (tracker: CompiledTracker, viewer: TrackerRights): readonly Field[] =>
  requiredMissing(viewer.readable(tracker), defaultsFor(tracker));

const barredField = ({ label, required }: Field): string =>
  `You may not submit the field ${label}${required ? ', which this tracker requires' : ''}`;

/** A tracker may require thousands. */
const MAX_NAMED = 10;

function named(fields: readonly Field[]): string {
  const more = fields.length - MAX_NAMED;
  const labels = fields.slice(0, MAX_NAMED).map(({ label }) => label);
  return `${labels.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
