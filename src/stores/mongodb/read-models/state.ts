/** The state of the projections as readers see it: as of the last poll, and of the commits that were reported since. */
import { type Db } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { NO_MARKS, type Marks } from '../../../core/marks.js';
import { type Checkpoint, type Generation, type Progress } from '../../../core/projection.js';
import { recordedEvent } from '../../shared/recorded-event.js';
import {
  lookingAt,
  projectionDocuments,
  type StoredGeneration,
  type StoredLease,
  type StoredProjection,
} from '../projection-documents.js';
import { type ReadModels } from '../../../core/read-models.js';
import { type ProjectionIds } from '../projection-ids.js';
import { changesSeen } from './announced-changes.js';
import { knownMarks, type KnownMarks } from './marks.js';

/** How often readers poll the state of the projections while no request waits. */
export const IDLE_MS = 100;

/** No reader uses an older state, and no request what was handed over to subscribers earlier. */
export const STALE_MS = 250;

/** After this, every reader has seen what was changed before, and so has every subscriber. */
export const SETTLE_MS = 300;

/** What one projection serves. */
export interface Served extends StoredGeneration {
  /** Of the projection's version. */
  readonly id: string;
  readonly generation: Generation;
  /** Of the projection's lease. */
  readonly token: number;
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

export function servedIn(document: Pick<StoredProjection, '_id' | 'serving' | 'runs' | 'token'>): Served | null {
  const { _id: id, serving, runs, token } = document;
  const stored = serving === null ? undefined : runs[serving];
  return serving === null || stored === undefined ? null : { id, generation: serving, token, ...stored };
}

export function checkpointIn({ version, position, event }: StoredGeneration): Checkpoint {
  return { version, position, event: recordedEvent(position, event) };
}

/** Whether all that was begun is done. */
export const isSettled = ({ position, changed }: Served): boolean =>
  Object.values(changed).every((last) => position !== null && last <= position);

export interface ServingState extends Pick<ReadModels, 'stamp'> {
  /** Polls, and says whether anything is new. Not to be called during a poll. */
  readonly look: () => Promise<boolean>;
  /** What a worker of this process reports. */
  readonly heard: (progress: Progress) => void;
  /** Of a read model. */
  readonly served: (model: string) => Served | undefined;
  readonly marks: (model: string) => Marks;
  /** By projection: what it reflects by now. */
  readonly reached: () => readonly (readonly [string, Position])[];
  readonly states: () => readonly ProjectionState[];
  /** See `ReadModels.state`. */
  readonly text: () => string | undefined;
}

export function servingState(db: Db, ids: ProjectionIds, signal: AbortSignal): ServingState {
  const commits = ownCommits();
  const changes = changesSeen();
  const lookAt = lookingAt(projectionDocuments(db), ids.all, signal);
  let looked: readonly StoredProjection[] = [];
  let marks: ReadonlyMap<string, KnownMarks> = new Map();
  let served: readonly Served[] = [];
  let byModel: ReadonlyMap<string, Served> = new Map();
  const textOf = textsOf();
  let text: string | undefined;
  const servedOf = (all: readonly StoredProjection[]) => all.flatMap((document) => servedIn(document) ?? []);
  const refresh = (): void => {
    served = servedOf(looked).map(commits.upToDate);
    byModel = new Map(served.flatMap((one) => one.models.map((model) => [model, one] as const)));
    text = textOf(served);
  };
  return {
    look: async () => {
      const found = await lookAt();
      if (found.length === looked.length && found.every((document, index) => document === looked[index])) return false;
      const known = new Map<string, KnownMarks>();
      for (const one of servedOf(found)) known.set(one.id, await knownMarks(db, one, marks.get(one.id)));
      [looked, marks] = [found, known];
      changes.look(servedOf(found));
      refresh();
      return true;
    },
    heard: (progress) => {
      commits.heard(ids.idOf(progress.projection), progress);
      refresh();
    },
    served: (model) => byModel.get(model),
    marks: (model) => marks.get(byModel.get(model)?.id ?? '')?.marks ?? NO_MARKS,
    reached: () =>
      served.flatMap((one) => {
        const position = commits.reached(one);
        return position === null ? [] : [[ids.nameIn(one.id), position] as const];
      }),
    states: () => looked.map((document) => stateOf(document, ids)),
    text: () => text,
    stamp: (model, ...asked) => Promise.resolve(changes.stamp(byModel.get(model.name), model, ...asked)),
  };
}

/** Other checkpoints change nothing that is served. Once a version is removed, numbers of its generations are used again. */
function textsOf(): (served: readonly Served[]) => string | undefined {
  let [generations, switches] = ['', 0];
  return (served) => {
    const now = served.map(({ id, generation }) => `${id} ${generation}`).join();
    if (now !== generations) [generations, switches] = [now, switches + 1];
    if (!served.every(isSettled)) return undefined;
    const changes = served.map(({ changed, marked }) => [...Object.entries(changed).flat(), marked].join(' '));
    return [switches, ...changes].join('|');
  };
}

function stateOf(document: StoredProjection, ids: ProjectionIds): ProjectionState {
  const { _id, token, lease, version, status } = document;
  const served = servedIn(document);
  const reached = served && { generation: served.generation, ...checkpointIn(served) };
  return { projection: ids.nameIn(_id), token, served: reached, lease, version, status };
}

/** The last commits of a generation that a worker of this process reported ahead of the next poll, together. */
interface OwnCommit {
  readonly generation: Generation;
  /** Marks are not told in full: until a look has got to this position, nothing else is known. */
  readonly after: Position;
  /** Of the last event that changes something, or nothing: positions of those that change nothing are stored later. */
  readonly reached: Position;
  readonly committed: Position;
  readonly changed: Served['changed'];
}

const START = '' as Position;

function ownCommits() {
  const known = new Map<string, OwnCommit>();
  const of = ({ id, generation, position }: Served): OwnCommit | undefined => {
    const commit = known.get(id);
    return commit?.generation === generation && commit.after <= (position ?? START) ? commit : undefined;
  };
  return {
    heard: (id: string, progress: Progress): void => {
      const commit = commitOf(progress, known.get(id));
      if (commit !== null) known.set(id, commit);
    },
    upToDate: (looked: Served): Served => {
      const commit = of(looked);
      if (commit === undefined || commit.committed <= (looked.position ?? START)) return looked;
      return { ...looked, position: commit.committed, changed: latest(looked.changed, commit.changed) };
    },
    reached: (looked: Served): Position | null => {
      const reached = of(looked)?.reached ?? START;
      return reached > (looked.position ?? START) ? reached : looked.position;
    },
  };
}

/** A commit that is under way is announced in what was looked at. */
function latest(...all: readonly Served['changed'][]): Served['changed'] {
  const changed = new Map<string, Position>();
  for (const [model, position] of all.flatMap(Object.entries<Position>)) {
    if (position > (changed.get(model) ?? START)) changed.set(model, position);
  }
  return Object.fromEntries(changed);
}

function commitOf(
  { generation, position, models, marked = [] }: Progress,
  last: OwnCommit | undefined,
): OwnCommit | null {
  if (position === null) return null;
  const before = last?.generation === generation ? last : { after: START, committed: START, changed: {} };
  return {
    generation,
    after: marked.length > 0 ? position : before.after,
    reached: position,
    committed: models.length > 0 ? position : before.committed,
    changed: { ...before.changed, ...Object.fromEntries(models.map((model) => [model, position])) },
  };
}
