import { MongoTopologyClosedError, type Db } from 'mongodb';
import { retryUntil } from '../../core/concurrency/retry.js';
import { Problem } from '../../core/problem.js';
import { unavailable } from './connection.js';

/** A server may be starting too, or have a lot to do just then. */
const PATIENCE_MS = 5000;
const PAUSES = { firstPauseMs: 200, longestPauseMs: 400 };

/** Resolves once the server answers. Throws the driver's error on time-out, or at once if retrying cannot help. */
export async function waitUntilReachable(db: Db, patienceMs = PATIENCE_MS): Promise<void> {
  let reason: unknown;
  const ping = async (): Promise<true | null> => {
    try {
      await db.command({ ping: 1 });
      return true;
    } catch (error) {
      // The cause says more than the client's own time-out.
      if (reason === undefined || !(error instanceof MongoTopologyClosedError)) reason = error;
      if (!(unavailable(error) instanceof Problem)) throw reason;
      return null;
    }
  };
  if ((await retryUntil(ping, { patienceMs, ...PAUSES })) === null) throw reason;
}
