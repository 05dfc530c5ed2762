/** The state of the projections as readers see it. */
import { type Position } from '../../../core/event-log.js';
import { type Checkpoint, type Generation } from '../../../core/projection.js';
import { type ProjectionIds } from '../projection-ids.js';
import { type StoredGeneration, type StoredLease, type StoredProjection } from '../projection-documents.js';
import { recordedEvent } from '../../shared/recorded-event.js';

/** What one projection serves. */
export interface Served {
  /** Of the projection's version. */
  readonly id: string;
  readonly generation: Generation;
  readonly version: number;
  readonly position: Position | null;
  /** As it is stored. */
  readonly event?: string;
  readonly models: readonly string[];
  readonly changed: Readonly<Record<string, Position>>;
  readonly marked?: Position;
}

/** For those who watch the projections. */
export interface ProjectionState {
  readonly projection: string;
  readonly token: number;
  /** Null before the first generation. */
  readonly served: ({ readonly generation: Generation } & Checkpoint) | null;
  readonly lease: StoredLease | null;
  /** Of the projection in the program that holds the lease. */
  readonly version: number;
  /** What the holder of the lease last said of itself. */
  readonly status: unknown;
}

export interface ServingState {
  readonly served: readonly Served[];
  readonly byModel: ReadonlyMap<string, Served>;
  /** As they are stored. */
  readonly states: readonly ProjectionState[];
}

export function servedIn({ _id, serving, runs }: Pick<StoredProjection, '_id' | 'serving' | 'runs'>): Served | null {
  const stored = serving === null ? undefined : runs[serving];
  return serving === null || stored === undefined ? null : { id: _id, generation: serving, ...stored };
}

export function servingStateIn(
  documents: readonly StoredProjection[],
  ids: ProjectionIds,
  upToDate: (served: Served) => Served,
): ServingState {
  const served = documents.flatMap((document) => servedIn(document) ?? []).map(upToDate);
  const byModel = new Map(served.flatMap((one) => one.models.map((model) => [model, one] as const)));
  return { served, byModel, states: documents.map((document) => stateOf(document, ids)) };
}

function stateOf(document: StoredProjection, ids: ProjectionIds): ProjectionState {
  const { _id, token, lease, version, status } = document;
  const served = servedIn(document);
  const reached = served && { generation: served.generation, ...checkpointIn(served) };
  return { projection: ids.nameIn(_id), token, served: reached, lease, version, status };
}

export function checkpointIn({ version, position, event }: StoredGeneration): Checkpoint {
  return { version, position, event: recordedEvent(position, event) };
}

/** Whether nothing was written between the two looks. */
export function isSameMoment(before: Served, after: Served): boolean {
  return (
    isSettled(before) &&
    isSettled(after) &&
    before.generation === after.generation &&
    before.position === after.position
  );
}

/** Whether all that was begun is done. */
export const isSettled = ({ position, changed }: Served): boolean =>
  Object.values(changed).every((last) => position !== null && last <= position);
