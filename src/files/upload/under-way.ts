import { retryUntil } from '../../core/concurrency/retry.js';
import { temporarilyUnavailable } from '../../core/problem.js';
import { type FilePorts } from '../ports.js';

/** Nothing is under way for longer, but for what a process did that was killed. */
const UNDER_WAY_MS = 30_000;

/**
 * Counts each running attempt under the key. The attempt receives the number of others in all processes. It resolves to
 * null while these leave no room for it, and is made again.
 */
export async function amongOthers<T>(
  key: string,
  { counters, clock }: Pick<FilePorts, 'counters' | 'clock'>,
  attempt: (others: number) => Promise<T | null>,
): Promise<T> {
  const counted = async (): Promise<T | null> => {
    // Counted before it looks: of any two that come together, at least one finds the other.
    const leave = await counters.add([key], new Date(clock().getTime() + UNDER_WAY_MS));
    try {
      const [underWay] = await counters.counts([key]);
      // After that look: what is stored shows in the read models before it is no longer under way.
      return await attempt(Math.max(0, (underWay?.count ?? 0) - 1));
    } finally {
      await leave();
    }
  };
  const done = await retryUntil(counted);
  if (done !== null) return done;
  throw temporarilyUnavailable('Too many uploads are under way; retry later');
}
