/** Looks at the state of the projections again and again: more often while somebody waits for it to change. */
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
  /** When the last look began of which everybody was told. */
  readonly followedAt: () => Date;
  /** Resolves once there was a look that is not too old. */
  readonly fresh: () => Promise<void>;
  /** Resolves after a look that has begun after the call. */
  readonly again: () => Promise<void>;
  /** Somebody waits from now on, or something has changed. */
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
  const pauses = interruptiblePauses();
  let wait = FIRST_WAIT_MS;
  const closing = new AbortController();
  const loop = async (): Promise<void> => {
    while (await pauses.pass(isWaitedFor() ? wait : IDLE_MS)) {
      wait = Math.min(LONGEST_WAIT_MS, wait * 1.5);
      await retry(follow, closing.signal, onError, RETRY);
    }
  };
  const looping = loop().catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
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
      pauses.end();
      await looping;
    },
  };
}

/** Whoever asks while it is being done waits for the next time, together with all others who do. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const mine = work();
      last = mine.catch(() => undefined);
      return mine;
    });
    return next;
  };
}

interface Pauses {
  /** False once they have ended. */
  pass(milliseconds: number): Promise<boolean>;
  /** Makes the pause that is under way, or the next one, as short as any is. */
  shorten(): void;
  end(): void;
}

function interruptiblePauses(): Pauses {
  let isOver = false;
  let isShort = false;
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  let passed: (() => void) | null = null;
  const passAfter = (milliseconds: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => passed?.(), milliseconds);
  };
  return {
    pass: (milliseconds) =>
      new Promise((resolve) => {
        began = performance.now();
        passed = () => {
          passed = null;
          isShort = false;
          resolve(!isOver);
        };
        if (isOver) passed();
        else passAfter(isShort ? SHORTEST_WAIT_MS : milliseconds);
      }),
    shorten: () => {
      if (isShort) return;
      isShort = true;
      if (passed !== null) passAfter(Math.max(0, SHORTEST_WAIT_MS - (performance.now() - began)));
    },
    end: () => {
      isOver = true;
      clearTimeout(timer);
      passed?.();
    },
  };
}
