/** A deleted artifact as one XML document, described by docs/archive.xsd: all that its streams said up to its end. */
import { type ArtifactEvent } from '../artifact-events.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { type Recorded } from '../../core/event-log.js';
import { type Project } from '../../projects/project.js';
import { allFields, type Field } from '../../trackers/field-types/definition.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { type StoredAttachment } from './attachment-files.js';
import { trackerElement } from './tracker-xml.js';
import { labelsOf, valueElement, type UsernameOf } from './value-xml.js';
import { element, textElement, xmlText, type Xml } from './xml.js';

type As<Type extends ArtifactEvent['type']> = Recorded<Extract<ArtifactEvent, { type: Type }>>;

export interface DeletedArtifact {
  readonly deleted: As<'ArtifactDeleted'>;
  /** What happened before. */
  readonly events: readonly Recorded<ArtifactEvent>[];
  /** Number in its tracker. */
  readonly atid: number;
  /** As it was at the deletion. */
  readonly tracker: Omit<TrackerView, 'deleted'>;
  readonly project: Project;
  readonly attachments: readonly StoredAttachment[];
  readonly usernameOf: UsernameOf;
}

export function archiveDocument(artifact: DeletedArtifact): string {
  const { deleted, events, tracker, project, usernameOf } = artifact;
  const values = finalValues(events);
  const write = valueWriter(tracker.fields, usernameOf);
  const identity = {
    version: 1,
    id: deleted.data.artifactId,
    number: artifact.atid,
    revision: deleted.revision,
    deleted_on: deleted.metadata.at,
    ...author('deleted_by', deleted, usernameOf),
  };
  const root = element('deleted_artifact', identity, [
    element('project', { id: tracker.projectId, shortname: project.shortname }, [
      textElement('label', {}, project.label),
    ]),
    trackerElement(tracker, usernameOf),
    element('changesets', {}, changesetElements(events, write, usernameOf)),
    element('values', {}, write(values)),
    element('links', { reverse_total: deleted.data.toArchive?.linkedFromTotal }, linkElements(values, deleted)),
    element('attachments', {}, artifact.attachments.map(attachmentElement)),
  ]);
  return xmlText(root);
}

function author(name: string, { metadata: { actor } }: Recorded, usernameOf: UsernameOf) {
  return actor === null ? {} : { [name]: actor, [`${name}_name`]: usernameOf(actor) };
}

function finalValues(events: readonly Recorded<ArtifactEvent>[]): FieldValues {
  const values: Record<string, FieldValue> = {};
  for (const { data } of events) Object.assign(values, 'values' in data ? data.values : {});
  return values;
}

type WriteValues = (values: FieldValues) => readonly Xml[];

/** In the order of the form's ids, as the events hold them. */
function valueWriter(fields: readonly Field[], usernameOf: UsernameOf): WriteValues {
  const known = new Map(allFields(fields).map((field) => [String(field.id), field]));
  return (values) =>
    Object.entries(values).map(([id, value]: [string, FieldValue]) => {
      const field = known.get(id);
      const attributes = { field_id: id, name: field?.name, type: field?.type };
      return valueElement('value', attributes, value, labelsOf(field, usernameOf));
    });
}

/** Each with what it changed; the first with all that the artifact was submitted with. */
function changesetElements(
  events: readonly Recorded<ArtifactEvent>[],
  write: WriteValues,
  usernameOf: UsernameOf,
): readonly Xml[] {
  return events.flatMap((event) => {
    if (event.type !== 'ArtifactSubmitted' && event.type !== 'ArtifactValuesChanged') return [];
    const { revision, metadata, data } = event;
    const comment = 'comment' in data ? data.comment : undefined;
    const attributes = { revision, on: metadata.at, ...author('by', event, usernameOf) };
    return element('changeset', attributes, [
      ...(comment === undefined ? [] : [textElement('comment', { format: comment.format }, comment.text)]),
      ...write(data.values),
    ]);
  });
}

function linkElements(values: FieldValues, { data: { toArchive } }: As<'ArtifactDeleted'>): readonly Xml[] {
  const forward = Object.entries(values).flatMap(([field, value]) =>
    linksOf(value).map(({ id, type }) => element('link', { direction: 'forward', id, type, field_id: field })),
  );
  const reverse = (toArchive?.linkedFrom ?? []).map(({ id, type }) =>
    element('link', { direction: 'reverse', id, type }),
  );
  return [...forward, ...reverse];
}

function attachmentElement({ id, fieldId, info, chunks, stored }: StoredAttachment): Xml {
  const size = info === null ? null : chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const bytes = { digest: stored?.digest, path: stored?.path };
  return element('attachment', { id, field_id: fieldId, size, media_type: info?.mediaType, ...bytes }, [
    ...(info === null ? [] : [textElement('name', {}, info.name), textElement('description', {}, info.description)]),
    ...chunks.map((chunk) => element('chunk', { size: chunk.size, digest: chunk.digest })),
  ]);
}
