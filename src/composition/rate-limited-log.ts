/** What goes wrong and is tried again is logged when it begins, and now and then while it lasts: not with every try. */
import { type Logger } from 'pino';
import { type Notice } from '../../projections/engine/projector-reports.js';
import { remedyFor } from '../../projections/health/remedy.js';
import { messageOf } from '../core/concurrency/retry.js';
import { needsOperator } from '../stores/eventstoredb/errors.js';

const REPEATED_AFTER_MS = 5000;
/** Remembered at once; each lost stream is logged by itself. */
const MOST_SOURCES = 1000;

export type OnServerFailure = (error: unknown, retryInMs?: number) => void;

/** By server. What only an operator can mend is an error, which other failures do not keep back. */
export function retryLog(logger: Logger): (server: string) => OnServerFailure {
  const due = rateLimiter();
  return (server) => (error, retryInMs) => {
    const reason = messageOf(error);
    if (needsOperator(error)) {
      const untold = due(`${server}: ${reason}`);
      if (untold !== null)
        logger.error({ server, reason, untold }, 'server rejects the service, operator action required');
      return;
    }
    const untold = due(server);
    if (untold === null) return;
    logger.warn({ server, reason, retryInMs, untold }, 'server unavailable, retrying');
  };
}

const WITHDRAWN = 'read model checkpoint not found in the log, rebuilding';

export function noticeLog(logger: Logger): (notice: Exclude<Notice, { type: 'progress' }>) => void {
  const due = rateLimiter();
  return (notice) => {
    const { projection } = notice;
    if (notice.type === 'withdrawn') {
      const { position, expected, found } = notice;
      logger.warn({ projection, position, expected, found }, WITHDRAWN);
      return;
    }
    if (notice.type === 'marked') {
      logger.warn({ projection, ...notice.mark }, 'stream marked as unavailable');
      return;
    }
    const { reason } = notice;
    if (notice.type === 'stopped') {
      const { poison, isServed } = notice;
      logger.error({ projection, reason, poison, isServed, remedy: remedyFor(projection) }, 'projection stopped');
      return;
    }
    if (notice.type === 'differed') {
      logger.warn({ projection, reason }, 'rebuild replaced differing documents');
      return;
    }
    if (notice.type === 'lost') {
      logger.warn({ projection, reason }, 'projection lease lost');
      return;
    }
    const untold = due(projection);
    if (untold === null) return;
    logger.warn({ projection, reason, retryInMs: notice.retryInMs, untold }, 'projection blocked, retrying');
  };
}

/** Limits log lines: null if the last line of this source is recent, else the number of lines that were left out since. */
function rateLimiter(): (source: string) => number | null {
  const logged = new Map<string, { readonly at: number; untold: number }>();
  return (source) => {
    const now = performance.now();
    const last = logged.get(source);
    if (last !== undefined && now - last.at < REPEATED_AFTER_MS) {
      last.untold += 1;
      return null;
    }
    if (logged.size >= MOST_SOURCES) logged.clear();
    logged.set(source, { at: now, untold: 0 });
    return last?.untold ?? 0;
  };
}
