/** An artifact's changes one by one, each with the whole state after it: read from the log, which alone knows them. */
import { type Recorded } from '../core/event-log.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type ArtifactEvent } from './artifact-events.js';
import { type ArtifactView } from './artifact-view.js';
import { changedView, submittedView } from './evolve-view.js';
import { isoDate } from './fields/dates.js';
import { representValues } from './fields/represent.js';
import { renderText } from './fields/text.js';
import { type TextValue } from './field-value.js';
import { type Reading, type Related } from './related.js';
import { userById } from './representation.js';

export interface Changeset {
  readonly artifact: ArtifactView;
  /** Ids of the fields that it changed. */
  readonly changed: readonly string[];
  readonly comment: TextValue;
}

const NO_COMMENT: TextValue = { text: '', format: 'text' };

export function changesetsOf(events: readonly Recorded<ArtifactEvent>[], atid: number): readonly Changeset[] {
  const changesets: Changeset[] = [];
  for (const event of events) {
    const before = changesets.at(-1)?.artifact;
    if (event.type === 'ArtifactSubmitted') {
      const artifact = submittedView(event, atid);
      changesets.push({ artifact, changed: Object.keys(event.data.values), comment: NO_COMMENT });
    } else if (event.type === 'ArtifactValuesChanged' && before !== undefined) {
      const { values, comment = NO_COMMENT } = event.data;
      changesets.push({ artifact: changedView(before, event), changed: Object.keys(values), comment });
    }
  }
  return changesets;
}

export const hasComment = ({ comment }: Changeset): boolean => comment.text !== '';

/** The first one, and those that say something the reader may read. */
export function isVisible(
  changeset: Changeset,
  tracker: CompiledTracker,
  { viewer }: Pick<Reading, 'viewer'>,
): boolean {
  if (changeset.artifact.revision === 0 || hasComment(changeset)) return true;
  return changeset.changed.some((id) => {
    const field = tracker.fieldById(Number(id));
    return field !== undefined && viewer.may('read', tracker, field);
  });
}

export function changesetRepresentation(
  { artifact, comment }: Changeset,
  tracker: CompiledTracker,
  reading: Omit<Reading, 'readModels'> & { readonly related: Related },
  withValues: boolean,
): object {
  const user = userById(reading.directory, artifact.lastUpdateBy);
  const { value, post_processed_value, ...format } = renderText(comment);
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
