/** What stands in the way of a new artifact in a tracker. */
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

/** Required fields that the viewer may read, and that have no default. */
const lacking = (tracker: CompiledTracker, viewer: TrackerRights): readonly Field[] =>
  requiredMissing(viewer.readable(tracker), defaultsFor(tracker));

const barredField = ({ label, required }: Field): string =>
  `You may not submit the field ${label}${required ? ', which this tracker requires' : ''}`;
