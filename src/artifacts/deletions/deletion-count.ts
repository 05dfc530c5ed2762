/** How many artifacts a user deleted lately: what is counted in one stream cannot be counted too often by a race. */
import { type Decider } from '../../core/decider.js';
import { Problem } from '../../core/problem.js';
import { type DeletionCount, type DeletionEvent } from './deletion-count-events.js';

export type DeletionCommand =
  | {
      readonly type: 'CountDeletion';
      readonly userId: number;
      readonly artifactId: number;
      readonly deletionId: string;
      readonly at: string;
      /** In any 24 hours; 0: no deletions. */
      readonly limit: number;
    }
  | {
      readonly type: 'ReleaseDeletion';
      readonly userId: number;
      readonly artifactId: number;
      readonly deletionId: string;
      /** Of the count. */
      readonly countedAt: string;
      readonly at: string;
    };

/** The latest of a user's counts, and through it all those that were not released. A chain, because it only grows. */
export interface DeletionCounts {
  readonly latest: DeletionCount;
  readonly earlier: DeletionCounts | null;
}

const WINDOW_MS = 24 * 60 * 60 * 1000;

/** In one event, which has 12 kB at most. */
const MOST_TOLD = 100;

export const deletionDecider: Decider<DeletionCounts | null, DeletionCommand, DeletionEvent> = {
  initialState: null,

  decide(command, counts) {
    switch (command.type) {
      case 'CountDeletion':
        return count(command, counts);
      case 'ReleaseDeletion':
        return release(command, counts);
    }
  },

  evolve(counts, { type, data }) {
    if (data.counted !== undefined) return chained(data.counted);
    switch (type) {
      case 'DeletionCounted': {
        const { artifactId, deletionId, at } = data;
        return { latest: { artifactId, deletionId, at }, earlier: counts };
      }
      case 'DeletionReleased':
        return without(counts, data.deletionId);
    }
  },

  saysAll: ({ data }) => data.counted !== undefined,
};

function count(
  { userId, artifactId, deletionId, at, limit }: Extract<DeletionCommand, { type: 'CountDeletion' }>,
  counts: DeletionCounts | null,
): readonly DeletionEvent[] {
  if (countOf(counts, artifactId) !== undefined) return [];
  if (limit <= 0) throw new Problem('forbidden', 'Deletion of artifacts is switched off on this platform');
  const recent = recentCounts(counts, at);
  if (recent.length >= limit) {
    throw new Problem('too-many', `You have deleted ${recent.length} artifacts in 24 hours, the limit is ${limit}`, {
      retryAfter: secondsUntilBelow(limit, recent, at),
    });
  }
  const own = { artifactId, deletionId, at };
  return [{ type: 'DeletionCounted', data: { userId, ...own, ...told([own, ...recent]) } }];
}

function release(
  { userId, artifactId, deletionId, countedAt, at }: Extract<DeletionCommand, { type: 'ReleaseDeletion' }>,
  counts: DeletionCounts | null,
): readonly DeletionEvent[] {
  const isCounted = countOf(counts, artifactId)?.deletionId === deletionId;
  // A count that is no longer told is released all the same: its deletion is pending until then.
  if (!isCounted && isRecent(countedAt, at)) return [];
  const others = recentCounts(without(counts, deletionId), at);
  return [{ type: 'DeletionReleased', data: { userId, artifactId, deletionId, ...told(others) } }];
}

const told = (counted: readonly DeletionCount[]): { readonly counted?: readonly DeletionCount[] } =>
  counted.length > MOST_TOLD ? {} : { counted };

/** The count of an artifact, whether its deletion is done or still under way. */
export function countOf(counts: DeletionCounts | null, artifactId: number): DeletionCount | undefined {
  return listed(counts).find((each) => each.artifactId === artifactId);
}

/** How many more a user may delete at an instant. */
export function deletionsLeft(counts: DeletionCounts | null, limit: number, at: string): number {
  return Math.max(0, limit - recentCounts(counts, at).length);
}

function recentCounts(counts: DeletionCounts | null, at: string): readonly DeletionCount[] {
  return listed(counts).filter((each) => isRecent(each.at, at));
}

const isRecent = (then: string, at: string): boolean => Date.parse(at) - Date.parse(then) < WINDOW_MS;

/** The limit may have been lowered: then more than one has to grow old. */
function secondsUntilBelow(limit: number, recent: readonly DeletionCount[], at: string): number {
  const instants = recent.map((each) => Date.parse(each.at)).sort((a, b) => a - b);
  const decisive = instants[recent.length - limit] ?? Date.parse(at);
  return (decisive + WINDOW_MS - Date.parse(at)) / 1000;
}

function listed(counts: DeletionCounts | null): readonly DeletionCount[] {
  const list: DeletionCount[] = [];
  for (let link = counts; link !== null; link = link.earlier) list.push(link.latest);
  return list;
}

function without(counts: DeletionCounts | null, deletionId: string): DeletionCounts | null {
  return chained(listed(counts).filter((each) => each.deletionId !== deletionId));
}

function chained(list: readonly DeletionCount[]): DeletionCounts | null {
  return list.reduceRight<DeletionCounts | null>((earlier, latest) => ({ latest, earlier }), null);
}
