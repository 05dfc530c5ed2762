/** An artifact as clients read it: its document, its tracker's definition and the definitions put together. */
import { jsonInTurns, takesTurns } from '../../core/concurrency/json-in-turns.js';
import { type Definitions } from '../../definitions/definitions.js';
import { projectReference } from '../../projects/representation.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { numbersOf, openListOf, stringOf, textOf } from '../../trackers/field-types/canonical.js';
import { type Field, type ListValue } from '../../trackers/field-types/definition.js';
import { isOpen, statusId } from '../../trackers/field-types/status.js';
import { structureSize, trackerStructure, minimalTracker } from '../../trackers/representation.js';
import { anonymousUser, minimalUser } from '../../users/representation.js';
import { type ArtifactView } from '../artifact-view.js';
import { isoDate } from '../fields/dates.js';
import { sizeShown } from './in-slices.js';
import { type Related } from './load-related.js';
import { type Reading } from './reading.js';
import { type PlainOf } from './rendered-texts.js';
import { representByField, representValues, type ReadContext } from './represent-values.js';

type ValuesFormat = 'none' | 'collection' | 'by_field' | 'all';

export interface Shape {
  readonly values: ValuesFormat;
  /** The whole structure of the tracker in place of its minimal form. */
  readonly completeTracker?: boolean;
  /** The artifacts are as they were. */
  readonly past?: boolean;
}

interface Context extends ReadContext, Pick<Reading, 'gone'> {
  readonly plainOf: PlainOf;
}

/** About how many characters the JSON of an artifact takes. */
export function sizeIn(
  shape: Shape,
  related: Related,
  reading: Pick<Reading, 'definitions' | 'viewer'>,
): (artifact: ArtifactView) => number {
  const sizeOf = shape.values === 'none' ? () => 0 : sizeShown(related, reading);
  if (shape.completeTracker !== true) return sizeOf;
  const { definitions, viewer } = reading;
  return (artifact) => {
    const tracker = definitions.tracker(artifact.trackerId);
    return sizeOf(artifact) + (tracker === undefined ? 0 : structureSize(tracker, definitions, viewer));
  };
}

/** Its JSON, made field by field where it is large. */
export function artifactText(
  artifact: ArtifactView,
  tracker: CompiledTracker,
  reading: Context,
  shape: Shape,
): Promise<string> {
  const size = sizeIn(shape, reading.related, reading)(artifact);
  const context = takesTurns(size) ? { ...reading, isLarge: true } : reading;
  return jsonInTurns(artifactRepresentation(artifact, tracker, context, shape), size, reading.gone);
}

function artifactRepresentation(
  artifact: ArtifactView,
  tracker: CompiledTracker,
  reading: Context,
  shape: Shape,
): object {
  const { definitions, viewer } = reading;
  const project = definitions.project(tracker.view.projectId);
  const wants = (format: ValuesFormat): boolean => shape.values === format || shape.values === 'all';
  const { id, uri, xref, html_url } = names(artifact, tracker);
  const { status, full_status, is_open, title, assignees: assigned } = meaning(artifact, tracker, reading);
  // One by one: V8 takes far longer for an object with others spread in it.
  return {
    id,
    uri,
    xref,
    html_url,
    tracker: shape.completeTracker
      ? trackerStructure(tracker, definitions, viewer)
      : minimalTracker(tracker, definitions),
    project: project === undefined ? null : projectReference(project),
    submitted_by: artifact.submittedBy,
    submitted_by_user: userById(definitions, artifact.submittedBy),
    submitted_on: isoDate(artifact.submittedOn),
    changesets_uri: `artifacts/${artifact.id}/changesets`,
    values: wants('collection') ? representValues(tracker, artifact, reading) : null,
    values_by_field: wants('by_field') ? representByField(tracker, artifact, reading) : null,
    last_update_by: artifact.lastUpdateBy,
    last_update_by_user: userById(definitions, artifact.lastUpdateBy),
    last_modified_date: isoDate(artifact.lastUpdateOn),
    status,
    full_status,
    is_open,
    title,
    assignees: assigned,
  };
}

/** What an artifact is called, and where it is. */
export const names = ({ id }: ArtifactView, { view }: CompiledTracker) => ({
  id,
  uri: `artifacts/${id}`,
  xref: `${view.itemName} #${id}`,
  html_url: `/plugins/tracker/?aid=${id}`,
});

export function userById(definitions: Definitions, id: number | null): object {
  const user = id === null ? undefined : definitions.user(id);
  return user === undefined ? anonymousUser() : minimalUser(user);
}

/** What the tracker's semantics say about the artifact; fields that the viewer may not read say nothing. */
export function meaning(
  artifact: ArtifactView,
  tracker: CompiledTracker,
  { definitions, viewer, plainOf }: Pick<Context, 'definitions' | 'viewer' | 'plainOf'>,
) {
  const readable = viewer.readable(tracker);
  const { semantics } = readable.view;
  const fieldOf = (id: number | undefined): Field | undefined =>
    id === undefined ? undefined : readable.fieldById(id);
  const status = statusOf(artifact, fieldOf(semantics.status?.field));
  return {
    status: status?.label ?? '',
    full_status: status === undefined ? null : { value: status.label, color: status.color || null },
    is_open: isOpen(semantics.status, artifact.values),
    title: titleOf(artifact, fieldOf(semantics.title), plainOf),
    assignees: assignees(artifact, fieldOf(semantics.contributor), definitions),
  };
}

function statusOf({ values }: ArtifactView, field: Field | undefined): ListValue | undefined {
  if (field === undefined) return undefined;
  const id = statusId(field.id, values);
  return field.values?.find((value) => value.id === id);
}

/** Markdown ends each paragraph with a line break, which is no part of a title. */
function titleOf({ values }: ArtifactView, field: Field | undefined, plainOf: PlainOf): string | null {
  if (field === undefined) return null;
  const value = values[String(field.id)];
  const title = textOf(value);
  if (title === undefined) return stringOf(value);
  return title.format === 'text' ? title.text : plainOf(title).trim();
}

function assignees({ values }: ArtifactView, field: Field | undefined, definitions: Definitions): readonly object[] {
  const value = field && values[String(field.id)];
  const listed = openListOf(value).flatMap((item) => ('bound' in item ? [item.bound] : []));
  return [...numbersOf(value), ...listed].flatMap((id) => {
    const user = definitions.user(id);
    return user === undefined ? [] : [minimalUser(user)];
  });
}
