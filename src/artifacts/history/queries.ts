/** What happened to an artifact, event by event, for those who audit it: read from its stream, and for ever. */
import { type EventReader, type Recorded, type Revision } from '../../core/event-log.js';
import { slicesForReader } from '../../core/stream-slices.js';
import { jsonInTurns, Late } from '../../core/concurrency/json-in-turns.js';
import { Problem } from '../../core/problem.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactStream, type ArtifactEvent } from '../artifact-events.js';
import { type ArtifactView } from '../artifact-view.js';
import { historyValue, knownPart, type HistoryContext } from '../representation/history-value.js';
import { changedLinks, heldBefore } from './changesets.js';
import { entriesOf, sizeOfEntry, valuesIn, type Entry } from './entries.js';
import { type PageOfEvents } from './page.js';
import { changedView, movedView, submittedView } from '../evolve-view.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { sameValue } from '../fields/values.js';
import { textsInSlices, type Texts } from '../representation/in-slices.js';
import { knownArtifact, readableTracker } from '../authorize.js';
import { type Reading } from '../representation/reading.js';
import { endsKnownTo } from './known-ends.js';

type Auditing = Reading & { readonly log: EventReader };

interface Audited {
  /** As it stands, or stood when it was deleted. */
  readonly artifact: ArtifactView;
  readonly tracker: CompiledTracker;
}

/** Throws 404 when the artifact does not exist, or it or its tracker is deleted and the viewer may not audit it. */
export async function historyPage(
  id: number,
  search: PageOfEvents,
  auditing: Auditing,
): Promise<{ readonly texts: Texts; readonly total: number }> {
  await auditedArtifact(id, auditing);
  const { slices, total } = await entriesOf(id, search, auditing);
  // Judged after it was read, which may have to wait for long.
  await auditedArtifact(id, auditing);
  return { texts: entryTexts(id, slices, auditing), total };
}

async function* entryTexts(id: number, slices: AsyncIterable<readonly Entry[]>, auditing: Auditing): Texts {
  const knownEnds = endsKnownTo(auditing);
  for await (const entries of slices) {
    const { tracker } = await auditedArtifact(id, auditing);
    const readable = auditing.viewer.readable(tracker);
    const links = entries.flatMap(({ event, before }) => changedLinks(readable, before, valuesIn(event)));
    const ends = await knownEnds(links);
    const reading = { ...auditing, isKnownEnd: (end: number): boolean => ends.has(end) };
    yield* textsInSlices(entries, { sizeOf: sizeOfEntry, gone: auditing.gone }, async (some) => {
      const texts: string[] = [];
      for (const entry of some) {
        texts.push(await jsonInTurns(entryRepresentation(entry, readable, reading), sizeOfEntry(entry), auditing.gone));
      }
      return texts;
    });
  }
}

export type Past = { readonly revision: Revision } | { readonly at: Date };

/**
 * The artifact at a revision, or after the last event that is not later than an instant. Also where events of an older
 * release go back in time, that is a state in which the artifact was. Throws 404 for a time when it did not exist, and
 * for a revision that it does not have.
 */
export async function artifactAsItWas(
  id: number,
  when: Past,
  auditing: Auditing,
): Promise<{ readonly artifact: ArtifactView; readonly tracker: CompiledTracker }> {
  // The present one, which may be large, is not held while this waits.
  const { atid } = (await auditedArtifact(id, auditing)).artifact;
  let found: ArtifactView | null = null;
  let view: ArtifactView | null = null;
  let last: Revision | undefined;
  for await (const events of slicesForReader<ArtifactEvent>(auditing.log, artifactStream(id), auditing)) {
    for (const event of events) {
      view = viewAfter(view, event, atid);
      if (isWanted(event, when)) found = view;
      last = event.revision;
    }
  }
  const { tracker } = await auditedArtifact(id, auditing);
  if (found === null) throw new Problem('not-found', missing(when, last));
  return { artifact: found, tracker };
}

const missing = (when: Past, last: Revision | undefined): string =>
  last !== undefined && 'revision' in when && when.revision > last
    ? `The artifact has no revision ${when.revision}; its last one is ${last}`
    : 'The artifact did not exist at that time';

const isWanted = ({ revision, metadata: { at } }: Recorded, when: Past): boolean =>
  'revision' in when ? revision === when.revision : Date.parse(at) <= when.at.getTime();

/** As it is now. Throws when the viewer may not read its history. */
export async function auditedArtifact(id: number, { readModels, definitions, viewer }: Auditing): Promise<Audited> {
  const known = await knownArtifact(id, { readModels, viewer });
  if (known === null) throw new Problem('not-found', 'No such artifact');
  const { artifact, isDeleted } = known;
  const tracker = definitions.tracker(artifact.trackerId);
  if (tracker !== undefined && viewer.canAudit(artifact)) return { artifact, tracker };
  if (isDeleted) throw new Problem('not-found', 'No such artifact');
  return { artifact, tracker: readableTracker(artifact, definitions, viewer) };
}

/** Null once it is deleted. What was archived stays deleted. */
function viewAfter(view: ArtifactView | null, event: Recorded<ArtifactEvent>, atid: number): ArtifactView | null {
  switch (event.type) {
    case 'ArtifactSubmitted':
      return submittedView(event, atid);
    case 'ArtifactValuesChanged':
      return view && changedView(view, event);
    case 'ArtifactDeleted':
      return null;
    case 'ArtifactArchived':
      return view;
    case 'FileClaimsReleased':
      return view && movedView(view, event);
  }
}

function entryRepresentation(
  { event, before }: Entry,
  { fields, view: { projectId } }: CompiledTracker,
  { definitions, isKnownEnd }: Omit<HistoryContext, 'projectId'>,
): object {
  const values = valuesIn(event);
  const context = { definitions, projectId, isKnownEnd };
  const known = (value: FieldValue | undefined): FieldValue | undefined => knownPart(value, isKnownEnd);
  const held = (field: Field): FieldValue | undefined =>
    event.type === 'ArtifactSubmitted' ? undefined : heldBefore(field, before, values);
  const isChanged = (field: Field): boolean => {
    const key = String(field.id);
    return Object.hasOwn(values, key) && !sameValue(known(held(field)), known(values[key]));
  };
  // A change of hidden links alone counts as no change.
  const changed = fields.filter(isChanged);
  const represent = (field: Field): object => {
    // Only dates heed `time`: they show the one that was stored, even if the field shows none today.
    const stored = { ...field, time: true };
    return {
      field_id: field.id,
      name: field.name,
      label: field.label,
      before: historyValue(stored, held(field), context),
      after: historyValue(stored, values[String(field.id)], context),
    };
  };
  const comment = event.type === 'ArtifactValuesChanged' ? event.data.comment : undefined;
  return {
    revision: event.revision,
    position: event.position,
    type: event.type,
    at: event.metadata.at,
    actor: actorOf(event, definitions),
    comment: comment === undefined ? null : { body: comment.text, format: comment.format },
    changes: changed.map((field) => new Late(() => represent(field))),
  };
}

/** Null when operations acted. */
function actorOf({ metadata: { actor } }: Recorded, definitions: Reading['definitions']): object | null {
  const user = actor === null ? undefined : definitions.user(actor);
  return user === undefined ? null : { id: user.id, username: user.username, uri: `users/${user.id}` };
}
