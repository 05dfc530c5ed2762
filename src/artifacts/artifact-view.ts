import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { artifactEntries } from './artifact-entries.js';
import { type FieldValues } from './field-value.js';

export interface ArtifactView extends Document {
  readonly id: number;
  readonly trackerId: number;
  /** Number in its tracker, from 1, in the order of creation. */
  readonly atid: number;
  readonly revision: Revision;
  readonly values: FieldValues;
  /** Fields that shut nobody out unless they have a value: what is said of them can be found. */
  readonly unrestricted?: readonly number[];
  /** User ids and UTC instants. */
  readonly submittedBy: number | null;
  readonly submittedOn: string;
  readonly lastUpdateBy: number | null;
  readonly lastUpdateOn: string;
}

export const ARTIFACTS = 'artifacts';

export const artifactViews: ReadModel<ArtifactView> = { name: ARTIFACTS, entries: artifactEntries };

/** As they stood when they were deleted: for those who may audit them. */
export const deletedArtifactViews: ReadModel<ArtifactView> = { name: 'deleted-artifacts' };

/** By tracker id: how many artifacts were ever submitted to it. */
export interface NumberingView extends Document {
  readonly id: number;
  readonly submitted: number;
}

export const numberingViews: ReadModel<NumberingView> = { name: 'numbering' };
