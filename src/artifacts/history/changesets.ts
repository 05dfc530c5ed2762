/** An artifact's changes one by one, each with the whole state after it: read from the log, which alone knows them. */
import { type Recorded } from '../../core/event-log.js';
import { slicesForReader } from '../../core/stream-slices.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactStream, type ArtifactEvent } from '../artifact-events.js';
import { type ArtifactView } from '../artifact-view.js';
import { changedView, submittedView } from '../evolve-view.js';
import { isoDate } from '../fields/dates.js';
import { representValues, type ReadContext } from '../representation/represent-values.js';
import { renderText } from '../fields/text.js';
import { knownPart } from '../representation/history-value.js';
import {
  type FieldValue,
  type FieldValues,
  type Link,
  type TextValue,
} from '../../trackers/field-types/field-value.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { heldIn, sameValue } from '../fields/values.js';
import { type Reading } from '../representation/reading.js';
import { type LogReading } from './entries.js';
import { type KnownEnds } from './known-ends.js';
import { userById } from '../representation/artifact-representation.js';

export interface Changeset {
  readonly artifact: ArtifactView;
  readonly isSubmission: boolean;
  readonly before: FieldValues;
  /** Of the fields that were written. */
  readonly written: FieldValues;
  readonly comment: TextValue;
}

const NO_COMMENT: TextValue = { text: '', format: 'text' };

/** All of an artifact, or those that come upon a state of it, the oldest first. */
export async function* changesetSlices(
  { id, atid }: Pick<ArtifactView, 'id' | 'atid'>,
  { log, gone, follows }: LogReading,
  before: ArtifactView | null = null,
): AsyncGenerator<readonly Changeset[], void, void> {
  let artifact = before;
  const start = before === null ? 0 : before.revision + 1;
  for await (const events of slicesForReader<ArtifactEvent>(log, artifactStream(id), { start, gone, follows })) {
    const changesets: readonly Changeset[] = changesetsOf(events, atid, artifact);
    artifact = changesets.at(-1)?.artifact ?? artifact;
    yield changesets;
  }
}

/** Those of some of its events, which come upon this state of it. */
export function changesetsOf(
  events: readonly Recorded<ArtifactEvent>[],
  atid: number,
  before: ArtifactView | null = null,
): readonly Changeset[] {
  const changesets: Changeset[] = [];
  for (const event of events) {
    const changeset = changesetBy(event, atid, changesets.at(-1)?.artifact ?? before);
    if (changeset !== null) changesets.push(changeset);
  }
  return changesets;
}

function changesetBy(event: Recorded<ArtifactEvent>, atid: number, before: ArtifactView | null): Changeset | null {
  if (event.type === 'ArtifactSubmitted') {
    const { values: written } = event.data;
    return { artifact: submittedView(event, atid), isSubmission: true, before: {}, written, comment: NO_COMMENT };
  }
  if (event.type !== 'ArtifactValuesChanged' || before === null) return null;
  const { values: written, comment = NO_COMMENT } = event.data;
  return { artifact: changedView(before, event), isSubmission: false, before: before.values, written, comment };
}

export const hasComment = ({ comment }: Changeset): boolean => comment.text !== '';

/** In the fields of the tracker. */
export const changedLinks = (tracker: CompiledTracker, before: FieldValues, written: FieldValues): readonly Link[] =>
  tracker
    .ofType('art_link')
    .filter(({ id }) => Object.hasOwn(written, String(id)))
    .flatMap(({ id }) => [...linksOf(before[String(id)]), ...linksOf(written[String(id)])]);

/** Earlier releases recorded that a computed value which was never given became a sum: that was a change from nothing. */
export function heldBefore(field: Field, before: FieldValues, written: FieldValues): FieldValue | undefined {
  const [key, held] = [String(field.id), heldIn(before, field)];
  return sameValue(held, written[key]) ? before[key] : held;
}

/** The first one, those with a comment, and those that changed something for the reader. */
export async function visibleChangesets(
  changesets: readonly Changeset[],
  tracker: CompiledTracker,
  { viewer, knownEnds }: Pick<Reading, 'viewer'> & { readonly knownEnds: KnownEnds },
): Promise<readonly Changeset[]> {
  const readable = viewer.readable(tracker);
  const { fields } = readable;
  const links = changesets.flatMap(({ before, written }) => changedLinks(readable, before, written));
  const ends = await knownEnds(links);
  const known = (value: FieldValue | undefined): FieldValue | undefined => knownPart(value, (id) => ends.has(id));
  return changesets.filter((changeset) => {
    const { isSubmission, before, written } = changeset;
    if (isSubmission || hasComment(changeset)) return true;
    return fields.some((field) => {
      const key = String(field.id);
      return Object.hasOwn(written, key) && !sameValue(known(heldBefore(field, before, written)), known(written[key]));
    });
  });
}

export function changesetRepresentation(
  { artifact, comment }: Pick<Changeset, 'artifact' | 'comment'>,
  tracker: CompiledTracker,
  reading: ReadContext,
  withValues: boolean,
): object {
  const user = userById(reading.definitions, artifact.lastUpdateBy);
  const { value, post_processed_value, ...format } = renderText(comment, reading.htmlOf);
  return {
    // The n-th changeset of the artifact; its Etag was n - 1.
    id: artifact.revision + 1,
    submitted_by: artifact.lastUpdateBy,
    submitted_by_details: user,
    submitted_on: isoDate(artifact.lastUpdateOn),
    email: null,
    last_comment: { body: value, post_processed_body: post_processed_value, ...format, ugroups: null },
    values: withValues ? representValues(tracker, artifact, reading) : [],
    last_modified_by: user,
    last_modified_date: isoDate(artifact.lastUpdateOn),
  };
}
