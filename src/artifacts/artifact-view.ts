import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { artifactEntries } from './artifact-entries.js';
import { type FieldValues } from '../trackers/field-types/field-value.js';

export interface ArtifactView extends Document {
  readonly id: number;
  readonly trackerId: number;
  /** Number in its tracker, from 1, in the order of creation. */
  readonly atid: number;
  readonly revision: Revision;
  readonly values: FieldValues;
  /** User ids and UTC instants. */
  readonly submittedBy: number | null;
  readonly submittedOn: string;
  readonly lastUpdateBy: number | null;
  readonly lastUpdateOn: string;
}

/** As it is stored: with what decides who finds it. */
export interface ArtifactDocument extends ArtifactView {
  /** Fields that are taken to shut somebody out. */
  readonly limitedBy: readonly number[];
}

export const ARTIFACTS = 'artifacts';

/** As they stood when they were deleted: for those who may audit them. */
export const deletedArtifactViews: ReadModel<ArtifactView> = { name: 'deleted-artifacts', category: 'artifact' };

export const artifactViews: ReadModel<ArtifactDocument> = {
  name: ARTIFACTS,
  category: 'artifact',
  gone: deletedArtifactViews,
  entries: artifactEntries,
};

/** What the documents of its artifacts need of a tracker. */
export interface ArtifactTrackerView extends Document {
  readonly id: number;
  /** How many artifacts there ever were. */
  readonly submitted: number;
  /** Fields that are known to be of another type than perm. */
  readonly others: readonly number[];
}

export const artifactTrackerViews: ReadModel<ArtifactTrackerView> = { name: 'artifact-trackers' };
