/** The facts of an artifact, apart from its rules: the projections and the history need only these. */
import { type Event, type StreamName } from '../core/event-log.js';
import { type FieldValues, type Link, type TextValue } from './field-value.js';

/** Links that another artifact shall hold (`add`) or lose (`remove`) towards this one, written by a process. */
export interface ReverseLinks {
  readonly add: readonly { readonly source: number; readonly type: string }[];
  readonly remove: readonly number[];
}

/** Stored for ever: extend, never rename. `attachedFiles`: those that the artifact has claimed for good by this event. */
export type ArtifactEvent =
  | Event<
      'ArtifactSubmitted',
      {
        artifactId: number;
        trackerId: number;
        values: FieldValues;
        reverseLinks?: ReverseLinks;
        attachedFiles?: readonly number[];
      }
    >
  /** `values` holds only what changed. */
  | Event<
      'ArtifactValuesChanged',
      {
        artifactId: number;
        trackerId: number;
        values: FieldValues;
        comment?: TextValue;
        reverseLinks?: ReverseLinks;
        attachedFiles?: readonly number[];
      }
    >
  /** `toArchive` where the platform archives what is deleted; `linkedFrom`: the links that led to it then. */
  | Event<
      'ArtifactDeleted',
      { artifactId: number; trackerId: number; toArchive?: { readonly linkedFrom: readonly Link[] } }
    >
  | Event<'ArtifactArchived', { artifactId: number; trackerId: number }>;

export const artifactStream = (id: number): StreamName => `artifact-${id}`;
