/** How many artifacts a user deleted lately: what is counted in one stream cannot be counted too often by a race. */
import { type Decider } from '../../core/decider.js';
import { type Revision } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { type DeletionCount, type DeletionEvent } from './deletion-count-events.js';

export type DeletionCommand =
  | {
      readonly type: 'CountDeletion';
      readonly userId: number;
      readonly artifactId: number;
      readonly deletionId: string;
      readonly at: string;
      /** See `DeletionCount`. */
      readonly upon?: Revision | undefined;
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

/** The latest of a user's counts, and through it the earlier ones that were not released. A count is added without a copy. */
export interface DeletionCounts {
  readonly latest: DeletionCount;
  readonly earlier: DeletionCounts | null;
}

const WINDOW_MS = 24 * 60 * 60 * 1000;

/** In one event, which has 12 kB at most. */
const MOST_IN_SUMMARY = 100;

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
      case 'DeletionCounted':
        return counted(countIn(data), counts);
      case 'DeletionReleased':
        return without(counts, data.deletionId);
    }
  },

  saysAll: ({ data }) => data.counted !== undefined,
};

/** Older counts are dropped at the first one of each UTC day, so that the chain holds those of two days at most. */
function counted(latest: DeletionCount, earlier: DeletionCounts | null): DeletionCounts | null {
  const all = { latest, earlier };
  return earlier !== null && dayOf(earlier.latest) === dayOf(latest) ? all : chained(recentCounts(all, latest.at));
}

const dayOf = ({ at }: DeletionCount): string => at.slice(0, 'yyyy-mm-dd'.length);

function count(
  { userId, artifactId, deletionId, at, upon, limit }: Extract<DeletionCommand, { type: 'CountDeletion' }>,
  counts: DeletionCounts | null,
): readonly DeletionEvent[] {
  if (countOf(counts, artifactId, deletionId) !== undefined) return [];
  if (limit <= 0) throw new Problem('forbidden', 'Deletion of artifacts is switched off on this platform');
  const recent = recentCounts(counts, at);
  if (recent.length >= limit) {
    throw new Problem('too-many', `You have deleted ${recent.length} artifacts in 24 hours, the limit is ${limit}`, {
      retryAfter: secondsUntilBelow(limit, recent, at),
    });
  }
  const own = countIn({ artifactId, deletionId, at, upon });
  return [{ type: 'DeletionCounted', data: { userId, ...own, ...summary([own, ...recent]) } }];
}

function release(
  { userId, artifactId, deletionId, countedAt, at }: Extract<DeletionCommand, { type: 'ReleaseDeletion' }>,
  counts: DeletionCounts | null,
): readonly DeletionEvent[] {
  const isCounted = listed(counts).some((each) => each.deletionId === deletionId);
  // A count that no summary holds any longer is released all the same: its deletion is pending until then.
  if (!isCounted && isRecent(countedAt, at)) return [];
  const others = recentCounts(without(counts, deletionId), at);
  return [{ type: 'DeletionReleased', data: { userId, artifactId, deletionId, ...summary(others) } }];
}

/** The count of an event. Without an `upon`, it has no such member. */
function countIn({
  artifactId,
  deletionId,
  at,
  upon,
}: Omit<DeletionCount, 'upon'> & { readonly upon?: Revision | undefined }) {
  return { artifactId, deletionId, at, ...(upon !== undefined && { upon }) };
}

const summary = (counted: readonly DeletionCount[]): { readonly counted?: readonly DeletionCount[] } =>
  counted.length > MOST_IN_SUMMARY ? {} : { counted };

/**
 * The count of an artifact, whether its deletion is done or still under way. One that is for a single revision is that
 * of its own deletion alone: it may be released.
 */
export function countOf(
  counts: DeletionCounts | null,
  artifactId: number,
  deletionId: string,
): DeletionCount | undefined {
  return listed(counts).find(
    (each) => each.artifactId === artifactId && (each.upon === undefined || each.deletionId === deletionId),
  );
}

/** How many more a user may delete at an instant. */
export function deletionsLeft(counts: DeletionCounts | null, limit: number, at: string): number {
  return Math.max(0, limit - recentCounts(counts, at).length);
}

function recentCounts(counts: DeletionCounts | null, at: string): readonly DeletionCount[] {
  return listed(counts).filter((each) => isRecent(each.at, at));
}

/** One that is further ahead is of a clock that was wrong. */
const isRecent = (then: string, at: string): boolean => Math.abs(Date.parse(at) - Date.parse(then)) < WINDOW_MS;

/** The limit may have been lowered: then more than one has to grow old. */
function secondsUntilBelow(limit: number, recent: readonly DeletionCount[], at: string): number {
  const instants = recent.map((each) => Date.parse(each.at)).sort((a, b) => a - b);
  const decisive = instants[recent.length - limit] ?? Date.parse(at);
  return Math.min(decisive + WINDOW_MS - Date.parse(at), WINDOW_MS) / 1000;
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
