import { Problem } from '../problem.js';

/** How long one waits for what others, in this process or another, have under way. */
const PATIENCE_MS = 10_000;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 40;
const RETRY_AFTER = 2;

/**
 * Tries until there is a result; `unavailable`, with the message, after too long. The pauses are random, so that two
 * that were in each other's way do not meet again.
 *
 * @param since when the waiting began, on the clock of `performance`
 */
export async function patiently<T>(
  attempt: () => Promise<T | null>,
  message: string,
  since = performance.now(),
): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== null) return result;
    if (performance.now() - since > PATIENCE_MS) {
      throw new Problem('unavailable', message, { retryAfter: RETRY_AFTER });
    }
    const pause = SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
