import { setTimeout as sleep } from 'node:timers/promises';
import { MongoTopologyClosedError, type Db } from 'mongodb';
import { Problem } from '../../core/problem.js';
import { unavailable } from './connection.js';

/** A server may be starting too, or have a lot to do just then. */
const PATIENCE_MS = 5000;
const PAUSE_MS = 200;

/** Resolves once the server answers. Throws what the driver says of it, once patience is over or can mend nothing. */
export async function answering(db: Db, patienceMs = PATIENCE_MS): Promise<void> {
  const giveUp = performance.now() + patienceMs;
  let reason: unknown;
  for (;;) {
    try {
      await db.command({ ping: 1 });
      return;
    } catch (error) {
      // That a client has given up says less than why it has.
      if (reason === undefined || !(error instanceof MongoTopologyClosedError)) reason = error;
      const mayPass = unavailable(error) instanceof Problem;
      if (!mayPass || performance.now() > giveUp) throw reason;
    }
    await sleep(PAUSE_MS);
  }
}
