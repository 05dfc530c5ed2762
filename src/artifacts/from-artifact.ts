/** `from_artifact` of a submission: the title of an artifact that exists becomes that of a new one. */
import { invalidIn } from '../core/problem.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/field-types/definition.js';
import { artifactViews } from './artifact-view.js';
import { stringOf, textOf } from '../trackers/field-types/canonical.js';
import { type Reading } from './representation/reading.js';
import { type WrittenValues } from './prepare-values.js';

const SOURCE = '/from_artifact/id';

/**
 * As if the client had written the title itself, so that every rule of a submission holds. An artifact that the caller
 * may not see is unknown. Without the right to read the title field, the tracker has no title.
 */
export async function titleFrom(
  artifactId: number,
  tracker: CompiledTracker,
  reading: Reading,
): Promise<WrittenValues> {
  const { readModels, viewer } = reading;
  const source = await readModels.get(artifactViews, artifactId, viewer.canSeeArtifact);
  if (source === null || !viewer.canSeeArtifact(source)) throw invalidIn(SOURCE, `Unknown artifact ${artifactId}`);
  const sourceField = titleField(reading.definitions.tracker(source.trackerId), reading);
  if (sourceField === undefined) throw invalidIn(SOURCE, `The artifact ${artifactId} has no title`);
  const field = titleField(tracker, reading);
  if (field === undefined) throw invalidIn('/tracker/id', 'The tracker has no title that an artifact could take');

  const value = writtenTitle(source.values[String(sourceField.id)], field);
  return { values: [{ field_id: field.id, value }], pointer: '/from_artifact' };
}

function titleField(tracker: CompiledTracker | undefined, { viewer }: Pick<Reading, 'viewer'>): Field | undefined {
  const readable = tracker && viewer.readable(tracker);
  const { title } = readable?.view.semantics ?? {};
  return title === undefined ? undefined : readable?.fieldById(title);
}

/** An empty title is written as empty text: a default replaces only fields that the request leaves out. */
function writtenTitle(title: Parameters<typeof textOf>[0], { type }: Field): unknown {
  const { text, format } = textOf(title) ?? { text: stringOf(title), format: 'text' };
  return type === 'text' ? { content: text, format } : text;
}
