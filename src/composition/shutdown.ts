/** The end of the process, which signals ask for, and failures. */
import { type Logger } from 'pino';
import { disposables, type Disposables } from '../core/concurrency/disposables.js';

/** Of the 10 seconds after which a supervisor may kill the process, unless it is to drain before. */
const END_MS = 9500;
/** For the last line of the log. */
const LINGER_MS = 200;

/** The last one comes when the terminal is closed. */
export const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** What is added is disposed of at the end. */
export interface Shutdown extends Disposables {
  /** Aborts when the end is asked for. */
  readonly signal: AbortSignal;
  readonly asked: Promise<void>;
  /** The work's result; throws as soon as the end is asked for. */
  unlessAsked<T>(work: Promise<T>): Promise<T>;
  /** A part of the service has died. Ends it, since it can only be started anew: what is acknowledged is in the log. */
  readonly fail: (error: Error) => void;
  /** Aborts with that. */
  readonly failed: AbortSignal;
}

export function shutdown(logger: Logger, drainMs: number): Shutdown {
  const asking = new AbortController();
  const { signal } = asking;
  const failing = new AbortController();
  const killAfter = (ms: number): void => {
    setTimeout(killed, ms, logger).unref();
  };
  const ask = (): void => {
    if (signal.aborted) return;
    asking.abort(new Error('The service is stopping'));
    killAfter(drainMs + END_MS);
  };
  const fail = (error: unknown): void => {
    failing.abort();
    logger.fatal({ err: error }, 'service component failed, stopping');
    ask();
    // Nothing is drained any more.
    killAfter(END_MS);
  };
  for (const name of ENDING) {
    process.on(name, () => {
      if (!signal.aborted) logger.info({ signal: name }, 'stopping');
      ask();
    });
  }
  process.on('uncaughtException', fail);
  const asked = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  return {
    signal,
    asked,
    unlessAsked: (work) => Promise.race([work, asked.then(() => Promise.reject(signal.reason as Error))]),
    fail,
    failed: failing.signal,
    ...disposables(),
  };
}

/** Not by `exit`, which would wait for the threads, and take their stores from under them. */
function killed(logger: Logger): void {
  logger.fatal('shutdown timed out, exiting');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LINGER_MS);
}
