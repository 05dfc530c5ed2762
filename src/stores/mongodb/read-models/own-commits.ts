/** The commits that a worker of this process reports, ahead of the next poll. */
import { type Position } from '../../../core/event-log.js';
import { type Generation, type Progress } from '../../../core/projection.js';
import { type ProjectionIds } from '../projection-ids.js';
import { type Served } from './serving-state.js';

/** The last ones of a generation, together. */
interface OwnCommit {
  readonly generation: Generation;
  /** Marks are not told in full: until a look has got to this position, nothing else is known. */
  readonly after: Position;
  /** Of the last event that changes something, or nothing. */
  readonly reached: Position;
  readonly committed: Position;
  readonly changed: Served['changed'];
}

export interface OwnCommits {
  readonly heard: (progress: Progress) => void;
  /** What is served, as far as it is by now. */
  readonly served: (looked: Served) => Served;
  /** What it reflects by now: positions of events that change nothing are stored later. */
  readonly reached: (looked: Served) => Position | null;
}

const START = '' as Position;

export function ownCommits(ids: ProjectionIds): OwnCommits {
  const known = new Map<string, OwnCommit>();
  const of = ({ id, generation, position }: Served): OwnCommit | undefined => {
    const commit = known.get(id);
    return commit?.generation === generation && commit.after <= (position ?? START) ? commit : undefined;
  };
  return {
    heard: (progress) => {
      const id = ids.idOf(progress.projection);
      const commit = commitOf(progress, known.get(id));
      if (commit !== null) known.set(id, commit);
    },
    served: (looked) => {
      const commit = of(looked);
      if (commit === undefined || commit.committed <= (looked.position ?? START)) return looked;
      return { ...looked, position: commit.committed, changed: latest(looked.changed, commit.changed) };
    },
    reached: (looked) => {
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
