/** Looks at the state of the projections again and again: more often while a request waits for it to change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { condition } from '../../../core/concurrency/condition.js';
import { oneAtATime } from '../../../core/concurrency/one-at-a-time.js';
import { retry } from '../../../core/concurrency/retry.js';
import { IDLE_MS, STALE_MS } from './timing.js';

export interface PollerOptions {
  /** One look. Never two at once. */
  readonly look: () => Promise<void>;
  /** After a look; the next one waits for it. What it throws is done again after the next look. */
  readonly told: () => Promise<void>;
  readonly isWaitedFor: () => boolean;
  readonly onError: (error: unknown) => void;
}

export interface Poller {
  /** The start of the last poll that all waiters have seen. */
  readonly followedAt: () => Date;
  /** Resolves once there was a look that is not too old. */
  readonly fresh: () => Promise<void>;
  /** Resolves after a look that has begun after the call. */
  readonly again: () => Promise<void>;
  /** A request waits from now on, or the state has changed. */
  readonly hurry: () => void;
  /** Nothing is under way any more once it resolves. */
  readonly close: () => Promise<void>;
}

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 50;
/** However many want to know. */
const SHORTEST_WAIT_MS = 3;
const RETRY = { firstPauseMs: IDLE_MS, longestPauseMs: 1000 };

/** Rejects when the first look does. */
export async function polling({ look, told, isWaitedFor, onError }: PollerOptions): Promise<Poller> {
  let polledAt = -Infinity;
  let followedAt = new Date();
  const again = oneAtATime(async () => {
    const at = performance.now();
    await look();
    polledAt = at;
  });
  const follow = async (): Promise<void> => {
    const began = new Date();
    await again();
    await told();
    followedAt = began;
  };
  await follow();
  const closing = new AbortController();
  const { signal } = closing;
  const pauses = interruptiblePauses(signal);
  let wait = FIRST_WAIT_MS;
  const loop = async (): Promise<void> => {
    for (;;) {
      await pauses.pass(isWaitedFor() ? wait : IDLE_MS);
      wait = Math.min(LONGEST_WAIT_MS, wait * 1.5);
      await retry(follow, signal, onError, RETRY);
    }
  };
  const looping = loop().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    followedAt: () => followedAt,
    fresh: async () => {
      if (performance.now() - polledAt > STALE_MS) await again();
    },
    again,
    hurry: () => {
      wait = FIRST_WAIT_MS;
      pauses.shorten();
    },
    close: async () => {
      closing.abort();
      await looping;
    },
  };
}

interface Pauses {
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Makes the pause that is under way, or the next one, as short as any is. */
  readonly shorten: () => void;
}

function interruptiblePauses(signal: AbortSignal): Pauses {
  const shortened = condition();
  let isShort = false;
  return {
    pass: async (milliseconds) => {
      await sleep(SHORTEST_WAIT_MS, undefined, { signal });
      await shortened.until(() => isShort, { patienceMs: milliseconds - SHORTEST_WAIT_MS, signal });
      isShort = false;
    },
    shorten: () => {
      isShort = true;
      shortened.notify();
    },
  };
}
