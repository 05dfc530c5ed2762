/** What goes wrong and is tried again is told when it begins, and now and then while it lasts: not with every try. */
import { type Logger } from 'pino';
import { type Notice } from '../../projections/lane-state.js';
import { messageOf } from '../../projections/retry.js';

const TOLD_AGAIN_MS = 5000;

export type Trouble = (error: unknown, retryInMs?: number) => void;

/** By server. */
export function troubles(logger: Logger): (server: string) => Trouble {
  const due = seldom();
  return (server) => (error, retryInMs) => {
    const untold = due(server);
    if (untold === null) return;
    logger.warn({ server, reason: messageOf(error), retryInMs, untold }, 'a server is in trouble');
  };
}

export function reports(logger: Logger): (notice: Exclude<Notice, { type: 'progress' }>) => void {
  const due = seldom();
  return (notice) => {
    const { type, projection, reason } = notice;
    if (type === 'stopped') {
      logger.error({ projection, reason, poison: notice.poison }, 'a projection stopped');
      return;
    }
    const untold = due(projection);
    if (untold === null) return;
    logger.warn({ projection, reason, retryInMs: notice.retryInMs, untold }, 'a projection is held up');
  };
}

/** How often somebody was in trouble untold since the last time; null while that is not long ago. */
function seldom(): (who: string) => number | null {
  const told = new Map<string, { readonly at: number; untold: number }>();
  return (who) => {
    const now = performance.now();
    const last = told.get(who);
    if (last !== undefined && now - last.at < TOLD_AGAIN_MS) {
      last.untold += 1;
      return null;
    }
    told.set(who, { at: now, untold: 0 });
    return last?.untold ?? 0;
  };
}
