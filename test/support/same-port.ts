import { randomInt } from 'node:crypto';
import { retryUntil } from '../../src/core/concurrency/retry.js';

const PATIENCE = { patienceMs: 30_000, longestPauseMs: 200 };

/** Below those that this machine gives to connections: while nobody listens on it, it is not given to anybody. */
export const portOfOnesOwn = (): number => randomInt(10_000, 30_000);

/**
 * Listens on a port that was one's own before: while nobody listened on it, a connection of this machine may have been given
 * it, which does not keep it for long.
 */
export async function listenAgain<T extends object>(listen: () => Promise<T>): Promise<T> {
  const listening = await retryUntil(
    () =>
      listen().catch((error: unknown) => {
        if (String(error).includes('EADDRINUSE')) return null;
        throw error;
      }),
    PATIENCE,
  );
  if (listening === null) throw new Error('Somebody else keeps the port');
  return listening;
}
