/** The facts of an artifact, apart from its rules: the projections and the history need only these. */
import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';
import { type FieldValues, type Link, type TextValue } from '../trackers/field-types/field-value.js';

/** Links that another artifact shall hold (`add`) or lose (`remove`) towards this one, written by a process. */
export interface ReverseLinks {
  readonly add: readonly { readonly source: number; readonly type: string }[];
  readonly remove: readonly number[];
}

/** What only the deletion knows: the links that led to the artifact then. */
export interface ToArchive {
  readonly linkedFrom: readonly Link[];
  /** How many artifacts linked to it, where they are too many to be named. */
  readonly linkedFromTotal?: number;
}

/** What is written to an artifact. */
export interface Written {
  readonly values: FieldValues;
  readonly reverseLinks?: ReverseLinks;
  /** Those that the artifact claims for good by this event. */
  readonly attachedFiles?: readonly number[];
}

/** Stored for ever: extend, never rename. */
export type ArtifactEvent =
  | Event<'ArtifactSubmitted', Written & { artifactId: number; trackerId: number }>
  /** `values` holds only what changed. */
  | Event<'ArtifactValuesChanged', Written & { artifactId: number; trackerId: number; comment?: TextValue }>
  /** `toArchive` where the platform archives what is deleted. */
  | Event<'ArtifactDeleted', { artifactId: number; trackerId: number; toArchive?: ToArchive }>
  | Event<'ArtifactArchived', { artifactId: number; trackerId: number }>
  /**
   * Fences the claims of commands that may still be running: their append at the revision before this event fails. Changes
   * nothing. It may be the first event of a stream, whether or not the artifact is ever submitted.
   */
  | Event<'FileClaimsReleased', { artifactId: number; files: readonly number[] }>;

/** The files that an event attaches to its artifact. */
export const filesAttachedBy = ({ data }: ArtifactEvent): readonly number[] =>
  ('attachedFiles' in data ? data.attachedFiles : undefined) ?? [];

export const artifactEventTypes: EventTypes<ArtifactEvent> = {
  ArtifactSubmitted: [],
  ArtifactValuesChanged: [],
  ArtifactDeleted: [],
  ArtifactArchived: [],
  FileClaimsReleased: [],
};

export const artifactStream = (id: number): StreamName => `artifact-${id}`;
