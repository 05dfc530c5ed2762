/**
 * Looks at the state of the projections again and again: more often while a request waits for it to change. On servers
 * with change streams, a change shortens the pause.
 */
import { addAbortListener } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeStream, type Collection } from 'mongodb';
import { steadyClock } from '../../../core/clock.js';
import { condition } from '../../../core/concurrency/condition.js';
import { coalesced } from '../../../core/concurrency/coalesced.js';
import { passes, within } from '../../../core/concurrency/pause.js';
import { retry } from '../../../core/concurrency/retry.js';
import { Problem } from '../../../core/problem.js';
import { RETRY_AFTER, unavailable } from '../connection.js';
import { type StoredProjection } from '../projection-documents.js';
import { IDLE_MS, STALE_MS } from './state.js';

export interface PollerOptions {
  /** One look, and whether it found anything new. Never two at once. */
  readonly look: () => Promise<boolean>;
  /** After a look; the next one waits for it. What it throws is done again after the next look. */
  readonly told: () => Promise<void>;
  readonly isWaitedFor: () => boolean;
  readonly onError: (error: unknown) => void;
}

export interface Poller {
  /** The start of the last poll that all waiters have seen, by the steady clock. */
  readonly followedAt: () => Date;
  /** Resolves once waiters have seen a poll that is not too old; after a while also if the server does not answer. */
  readonly followed: () => Promise<void>;
  /** Resolves once there was a look that is not too old. Rejects after a while if the server does not answer. */
  readonly fresh: () => Promise<void>;
  /** Resolves after a look that has begun after the call. Rejects as `fresh` does. */
  readonly again: () => Promise<void>;
  /** A request waits from now on, or the state has changed. */
  readonly hurry: () => void;
  /** Nothing is under way any more once it resolves. */
  readonly close: () => Promise<void>;
}

export const SILENCE = 'The read models do not answer; retry later';

const FOLLOWED_WITHIN_MS = 500;
/** Of a server with round trips of a second, a look may begin and end by then, after one that is under way. */
const ANSWERED_WITHIN_MS = 2500;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 50;
/** However many want to know. */
const SHORTEST_WAIT_MS = 3;
const RETRY = { firstPauseMs: IDLE_MS, longestPauseMs: 1000 };

/** What was seen and told, and when. `onNews`: of a look that found something new. */
function seen({ look, told }: Pick<PollerOptions, 'look' | 'told'>, onNews: () => void) {
  let polledAt = -Infinity;
  let followedSince = -Infinity;
  let waitedInVainAt = -Infinity;
  let followedAt = steadyClock();
  /** A request has waited in vain, and no look has ended since. */
  let isSilent = false;
  const isOld = (at: number): boolean => performance.now() - at > STALE_MS;
  const again = coalesced(async () => {
    const at = performance.now();
    if (await look()) onNews();
    [polledAt, isSilent] = [at, false];
  });
  let waiting = { look: Promise.resolve(), end: Promise.resolve() };
  const untilSilent = async (awaited: Promise<void>): Promise<void> => {
    const over = new AbortController();
    const late = passes(ANSWERED_WITHIN_MS, over.signal);
    const either = Promise.race([awaited.then(() => false), late]);
    isSilent = await either.finally(over.abort.bind(over));
    if (isSilent) throw silence();
  };
  const answered = async (): Promise<void> => {
    const next = again();
    if (isSilent) throw silence();
    // All who wait for the same look share the timer.
    if (waiting.look !== next) waiting = { look: next, end: untilSilent(next) };
    await waiting.end;
  };
  const follow = coalesced(async () => {
    const [began, since] = [steadyClock(), performance.now()];
    await again();
    await told();
    [followedAt, followedSince] = [began, since];
  });
  return {
    again: answered,
    follow,
    followedAt: () => followedAt,
    followed: async () => {
      if (!isOld(followedSince) || !isOld(waitedInVainAt)) return;
      const began = performance.now();
      await within(FOLLOWED_WITHIN_MS, follow()).catch(() => {
        // Later than that, the process has stood still: it has waited for nobody.
        waitedInVainAt = Math.min(performance.now(), began + FOLLOWED_WITHIN_MS);
      });
    },
    fresh: async () => {
      if (isOld(polledAt)) await answered();
    },
  };
}

const silence = (): Error => new Problem('unavailable', SILENCE, { retryAfter: RETRY_AFTER });

/** Rejects when the first look does. */
export async function polling({ look, told, isWaitedFor, onError }: PollerOptions): Promise<Poller> {
  let wait = FIRST_WAIT_MS;
  const { follow, ...known } = seen({ look, told }, () => {
    // The checkpoint follows the announcement within milliseconds.
    wait = FIRST_WAIT_MS;
  });
  await follow();
  const closing = new AbortController();
  const { signal } = closing;
  const hurried = condition();
  let isHurried = false;
  const loop = async (): Promise<void> => {
    for (;;) {
      const patienceMs = (isWaitedFor() ? wait : IDLE_MS) - SHORTEST_WAIT_MS;
      await sleep(SHORTEST_WAIT_MS, undefined, { signal });
      await hurried.until(() => isHurried, { patienceMs, signal });
      // After a hurried look, the next wait is the first one.
      wait = isHurried ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, wait * 1.5);
      isHurried = false;
      await retry(follow, signal, onError, RETRY);
    }
  };
  const looping = loop().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    ...known,
    hurry: () => {
      isHurried = true;
      hurried.notify();
    },
    close: async () => {
      closing.abort();
      await looping;
    },
  };
}

const REOPENED_AFTER_MS = 1000;
/** How long the server should wait for a change before an empty answer. */
const WAITS_MS = 1000;
/** A server that answers so often without having waited would be asked all the time. */
const MOST_EMPTY_POLLS = 5;

/**
 * Calls when the state of a projection changes, where change streams are supported. The driver does not resume a stream
 * that an outage has ended: another one is opened. Resolves after the signal, or on a server without change streams.
 */
export async function watchChanges(
  projections: Collection<StoredProjection>,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  do {
    const stream = projections.watch([{ $project: { _id: 1 } }], { maxAwaitTimeMS: WAITS_MS });
    const close = (): Promise<void> => stream.close().catch(() => undefined);
    const { [Symbol.dispose]: leave } = addAbortListener(signal, () => void close());
    try {
      await follow(stream, onChange);
    } catch (error) {
      if (!(unavailable(error) instanceof Problem)) return;
    } finally {
      leave();
      await close();
    }
  } while (await passes(REOPENED_AFTER_MS, signal));
}

/** Ends with an error only. */
async function follow(stream: ChangeStream, onChange: () => void): Promise<void> {
  let emptyPollsInARow = 0;
  while (emptyPollsInARow < MOST_EMPTY_POLLS) {
    const asked = performance.now();
    if ((await stream.tryNext()) !== null) onChange();
    else emptyPollsInARow = performance.now() - asked < WAITS_MS / 2 ? emptyPollsInARow + 1 : 0;
  }
  throw new Error('The server does not support change streams');
}
