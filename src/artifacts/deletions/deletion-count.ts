/** How many artifacts a user deleted lately: what is counted in one stream cannot be counted too often by a race. */
import { type Decider } from '../../core/decider.js';
import { Problem } from '../../core/problem.js';
import { type DeletionCount, type DeletionEvent } from './deletion-count-events.js';

export type DeletionCommand =
  | (DeletionCount & {
      readonly type: 'CountDeletion';
      readonly userId: number;
      /** In any 24 hours; 0: no deletions. */
      readonly limit: number;
    })
  | {
      readonly type: 'ReleaseDeletion';
      readonly userId: number;
      readonly artifactId: number;
      readonly deletionId: string;
      /** Of the count. */
      readonly countedAt: string;
      readonly at: string;
    };

/** A user's counts that were not released, within a bound: what a deletion takes does not grow with their number. */
export interface DeletionCounts {
  /** The latest first. */
  readonly latest: readonly DeletionCount[];
  /** How many there are of the earlier ones, by the minute. They cannot be released any longer. */
  readonly earlier: readonly Minute[];
}

interface Minute {
  /** Of its last count: none is old before it is. */
  readonly at: string;
  readonly number: number;
}

const WINDOW_MS = 24 * 60 * 60 * 1000;

/** Each on its own: many more than a user has under way at once. */
const MOST_LATEST = 1000;

/** In one event, which has 12 kB at most. */
const MOST_IN_SUMMARY = 100;

export const deletionDecider: Decider<DeletionCounts, DeletionCommand, DeletionEvent> = {
  initialState: { latest: [], earlier: [] },

  decide(command, counts) {
    switch (command.type) {
      case 'CountDeletion':
        return count(command, counts);
      case 'ReleaseDeletion':
        return release(command, counts);
    }
  },

  evolve(counts, { type, data }) {
    if (data.counted !== undefined) return { latest: data.counted, earlier: [] };
    switch (type) {
      case 'DeletionCounted':
        return counted(countIn(data), counts);
      case 'DeletionReleased':
        return { ...counts, latest: without(counts, data.deletionId) };
    }
  },

  saysAll: ({ data }) => data.counted !== undefined,
};

function counted(own: DeletionCount, before: DeletionCounts): DeletionCounts {
  const { latest, earlier } = isFirstOfDay(own, before) ? recentOf(before, own.at) : before;
  const all = [own, ...latest];
  return { latest: all, earlier: all.splice(MOST_LATEST).reduce(addedToMinute, earlier) };
}

/** Of a UTC day: then old ones are dropped, so that none is held for more than two days. */
const isFirstOfDay = ({ at }: DeletionCount, { latest: [last] }: DeletionCounts): boolean =>
  last !== undefined && last.at.slice(0, 'yyyy-mm-dd'.length) !== at.slice(0, 'yyyy-mm-dd'.length);

function addedToMinute(minutes: DeletionCounts['earlier'], { at }: DeletionCount): DeletionCounts['earlier'] {
  const index = indexOfMinute(minutes, at);
  const known = minutes[index];
  if (known === undefined) return [{ at, number: 1 }, ...minutes];
  return minutes.with(index, { at: at > known.at ? at : known.at, number: known.number + 1 });
}

function indexOfMinute(minutes: DeletionCounts['earlier'], at: string): number {
  const minute = at.slice(0, 'yyyy-mm-ddThh:mm'.length);
  return minutes.findIndex((each) => each.at.startsWith(minute));
}

function count(
  command: Extract<DeletionCommand, { type: 'CountDeletion' }>,
  counts: DeletionCounts,
): readonly DeletionEvent[] {
  const { userId, artifactId, deletionId, at, limit } = command;
  if (countOf(counts, artifactId, deletionId) !== undefined) return [];
  if (limit <= 0) throw new Problem('forbidden', 'Deletion of artifacts is switched off on this platform');
  const recent = recentOf(counts, at);
  const number = numberOf(recent);
  if (number >= limit) {
    throw new Problem('too-many', `You have deleted ${number} artifacts in 24 hours, the limit is ${limit}`, {
      retryAfter: secondsUntilBelow(limit, recent, at),
    });
  }
  const own = countIn(command);
  const all = { ...recent, latest: [own, ...recent.latest] };
  return [{ type: 'DeletionCounted', data: { userId, ...own, ...summary(all) } }];
}

function release(
  { userId, artifactId, deletionId, countedAt, at }: Extract<DeletionCommand, { type: 'ReleaseDeletion' }>,
  counts: DeletionCounts,
): readonly DeletionEvent[] {
  const isCounted = counts.latest.some((each) => each.deletionId === deletionId);
  const mayBeEarlier = !isRecent(countedAt, at) || indexOfMinute(counts.earlier, countedAt) >= 0;
  // A count that is not held by its id any longer is released all the same: its deletion is pending until then.
  if (!isCounted && !mayBeEarlier) return [];
  const others = recentOf({ ...counts, latest: without(counts, deletionId) }, at);
  return [{ type: 'DeletionReleased', data: { userId, artifactId, deletionId, ...summary(others) } }];
}

/** Without what else the event or the command holds. */
const countIn = ({ artifactId, deletionId, at, upon }: DeletionCount): DeletionCount => ({
  artifactId,
  deletionId,
  at,
  ...(upon !== undefined && { upon }),
});

const summary = ({ latest, earlier }: DeletionCounts): { readonly counted?: readonly DeletionCount[] } =>
  latest.length > MOST_IN_SUMMARY || earlier.length > 0 ? {} : { counted: latest };

/**
 * The count of an artifact, whether its deletion is done or still under way. One that is for a single revision is that
 * of its own deletion alone: it may be released.
 */
export function countOf(counts: DeletionCounts, artifactId: number, deletionId: string): DeletionCount | undefined {
  return counts.latest.find(
    (each) => each.artifactId === artifactId && (each.upon === undefined || each.deletionId === deletionId),
  );
}

/** How many more a user may delete at an instant. */
export function deletionsLeft(counts: DeletionCounts, limit: number, at: string): number {
  return Math.max(0, limit - numberOf(recentOf(counts, at)));
}

function recentOf({ latest, earlier }: DeletionCounts, at: string): DeletionCounts {
  const isRecentEnough = (each: { readonly at: string }): boolean => isRecent(each.at, at);
  return { latest: latest.filter(isRecentEnough), earlier: earlier.filter(isRecentEnough) };
}

const numberOf = ({ latest, earlier }: DeletionCounts): number =>
  earlier.reduce((sum, { number }) => sum + number, latest.length);

/** One that is further ahead is of a clock that was wrong. */
const isRecent = (then: string, at: string): boolean => Math.abs(Date.parse(at) - Date.parse(then)) < WINDOW_MS;

/** The limit may have been lowered: then more than one has to grow old. */
function secondsUntilBelow(limit: number, recent: DeletionCounts, at: string): number {
  let left = numberOf(recent);
  const all = [...recent.latest.map((each) => ({ at: each.at, number: 1 })), ...recent.earlier];
  all.sort((a, b) => (a.at < b.at ? -1 : 1));
  const decisive = all.find(({ number }) => (left -= number) < limit) ?? { at };
  return Math.min(Date.parse(decisive.at) + WINDOW_MS - Date.parse(at), WINDOW_MS) / 1000;
}

function without({ latest }: DeletionCounts, deletionId: string): readonly DeletionCount[] {
  return latest.filter((each) => each.deletionId !== deletionId);
}
