/** A deleted artifact as one XML document, described by docs/archive.xsd: everything in its streams up to its end. */
import { type ArtifactEvent, type ToArchive } from '../artifact-events.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { type Recorded } from '../../core/event-log.js';
import { type Project } from '../../projects/project.js';
import { allFields, type Field } from '../../trackers/field-types/definition.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { type StoredAttachment } from './attachment-files.js';
import { trackerElement } from './tracker-xml.js';
import { labelsIn, valueElement, type LabelsOf, type UsernameOf } from './value-xml.js';
import { element, elementsOf, textElement, xmlTexts, type Xml } from './xml.js';

type As<Type extends ArtifactEvent['type']> = Recorded<Extract<ArtifactEvent, { type: Type }>>;

export interface DeletedArtifact {
  readonly deleted: As<'ArtifactDeleted'>;
  /** What happened before. */
  readonly events: AsyncIterable<readonly Recorded<ArtifactEvent>[]>;
  /** What that came to. */
  readonly values: FieldValues;
  /** What led to it then. */
  readonly linkedFrom: ToArchive;
  /** Number in its tracker. */
  readonly atid: number;
  /** As it was at the deletion. */
  readonly tracker: Omit<TrackerView, 'deleted'>;
  readonly project: Project;
  readonly attachments: readonly StoredAttachment[];
  readonly usernameOf: UsernameOf;
}

/** Made while it is taken. */
export function archiveDocument(artifact: DeletedArtifact): AsyncIterable<string> {
  const { deleted, events, values, linkedFrom, tracker, project, usernameOf } = artifact;
  const labelsOf = labelsIn(usernameOf);
  const write = valueWriter(tracker.fields, labelsOf);
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
    trackerElement(tracker, labelsOf),
    element('changesets', {}, changesetElements(events, write, usernameOf)),
    element('values', {}, write(values)),
    element('links', { reverse_total: linkedFrom.linkedFromTotal }, linkElements(values, linkedFrom)),
    element('attachments', {}, elementsOf(artifact.attachments, attachmentElement)),
  ]);
  return xmlTexts(root);
}

function author(name: string, { metadata: { actor } }: Recorded, usernameOf: UsernameOf) {
  return actor === null ? {} : { [name]: actor, [`${name}_name`]: usernameOf(actor) };
}

type WriteValues = (values: FieldValues) => Iterable<Xml>;

/** In the order of the form's ids, as the events hold them. */
function valueWriter(fields: readonly Field[], labelsOf: LabelsOf): WriteValues {
  const known = new Map(allFields(fields).map((field) => [String(field.id), field]));
  return (values) =>
    elementsOf(Object.entries(values), ([id, value]: [string, FieldValue]) => {
      const field = known.get(id);
      const attributes = { field_id: id, name: field?.name, type: field?.type };
      return valueElement('value', attributes, value, labelsOf(field));
    });
}

/** Each with what it changed; the first with all that the artifact was submitted with. */
async function* changesetElements(
  slices: DeletedArtifact['events'],
  write: WriteValues,
  usernameOf: UsernameOf,
): AsyncGenerator<Xml, void, void> {
  for await (const events of slices) {
    for (const event of events) {
      if (event.type !== 'ArtifactSubmitted' && event.type !== 'ArtifactValuesChanged') continue;
      const attributes = { revision: event.revision, on: event.metadata.at, ...author('by', event, usernameOf) };
      yield element('changeset', attributes, changeElements(event, write));
    }
  }
}

function* changeElements(
  { data }: As<'ArtifactSubmitted' | 'ArtifactValuesChanged'>,
  write: WriteValues,
): Generator<Xml, void, void> {
  const comment = 'comment' in data ? data.comment : undefined;
  if (comment !== undefined) yield textElement('comment', { format: comment.format }, comment.text);
  yield* write(data.values);
}

function* linkElements(values: FieldValues, { linkedFrom }: ToArchive): Generator<Xml, void, void> {
  for (const [field, value] of Object.entries(values)) {
    for (const { id, type } of linksOf(value)) {
      yield element('link', { direction: 'forward', id, type, field_id: field });
    }
  }
  for (const { id, type } of linkedFrom) yield element('link', { direction: 'reverse', id, type });
}

function attachmentElement({ id, fieldId, info, chunks, stored }: StoredAttachment): Xml {
  const size = info === null ? null : chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const bytes = { digest: stored?.digest, path: stored?.path };
  return element('attachment', { id, field_id: fieldId, size, media_type: info?.mediaType, ...bytes }, [
    ...(info === null ? [] : [textElement('name', {}, info.name), textElement('description', {}, info.description)]),
    ...chunks.map((chunk) => element('chunk', { size: chunk.size, digest: chunk.digest })),
  ]);
}
