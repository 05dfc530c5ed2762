/** The reading processes of a service: started, kept running, and given connections in turn. */
import { messageOf } from '../../core/concurrency/retry.js';
import { type Socket } from 'node:net';
import { type Logger } from 'pino';
import { type Start } from './messages.js';
import { readingProcess, type Ended, type ReadingProcess } from './reading-process.js';
import { passes } from '../../core/concurrency/pause.js';
import { pauseAfter } from '../../core/concurrency/retry.js';

export interface ReadingProcessesOptions {
  readonly count: number;
  readonly start: Omit<Start, 'number'>;
  /** Gets connections that a process has not taken before its end. */
  readonly onLost: (socket: Socket) => void;
  /** Whether the main process can serve. They are started then. */
  readonly isStarted: () => boolean;
  /** Whether the main process has to answer every request for the time being. */
  readonly isTroubled: () => boolean;
  readonly logger: Logger;
}

export interface ReadingProcesses {
  /** False if none of them is ready. */
  readonly take: (socket: Socket) => boolean;
  /** Resolves when every request goes to the main process: until there is no trouble. */
  readonly standAside: () => Promise<void>;
  readonly close: (patienceMs: number) => Promise<void>;
}

const LOOK_EVERY_MS = 100;

/** As the end of a process: one that cannot be started is tried again later. */
const unstarted = (error: unknown) => ({ pid: undefined, code: null, signal: null, reason: messageOf(error) });

export function readingProcesses({
  count,
  start,
  onLost,
  isStarted,
  isTroubled,
  logger,
}: ReadingProcessesOptions): ReadingProcesses {
  const closing = new AbortController();
  const { run, stand, take, closeAll } = processesInTurn({ start, onLost, logger });
  let kept: readonly Promise<void>[] | undefined;
  let isAside = false;
  let standing = Promise.resolve();

  const keep = (number: number): Promise<void> =>
    keepRunning(
      () => run(number).catch(unstarted),
      (how, pauseMs) => {
        logger.error({ number, ...how, pauseMs }, 'reading process ended, starting another');
      },
      closing.signal,
    );
  const change = (aside: boolean): Promise<void> => {
    if (isAside === aside) return standing;
    isAside = aside;
    logger.warn(aside ? 'reading processes pass on every request' : 'reading processes answer again');
    standing = stand(aside);
    return standing;
  };
  const look = (): void => {
    if (kept === undefined && isStarted()) kept = Array.from({ length: count }, (_, index) => keep(index + 1));
    if (isTroubled() !== isAside) void change(!isAside);
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    take,
    standAside: () => change(true),
    close: async (patienceMs) => {
      closing.abort();
      clearInterval(timer);
      await closeAll(patienceMs);
      await Promise.all(kept ?? []);
    },
  };
}

/** Those that run, and those of them that can take a connection. */
function processesInTurn({ start, onLost, logger }: Pick<ReadingProcessesOptions, 'start' | 'onLost' | 'logger'>) {
  const running = new Set<ReadingProcess>();
  let ready: readonly ReadingProcess[] = [];
  let isAside = false;
  let isClosing = false;

  const begin = async (process: ReadingProcess, number: number): Promise<void> => {
    await process.ready;
    for (let told = !isAside; told !== isAside;) {
      told = isAside;
      await process.standAside(told);
    }
    if (!running.has(process)) return;
    ready = [...ready, process];
    logger.info({ number, pid: process.pid, ready: ready.length }, 'reading process ready');
  };
  return {
    run: async (number: number): Promise<Ended & Pick<ReadingProcess, 'pid'>> => {
      const process = readingProcess({ ...start, number });
      running.add(process);
      // How it ended is the result.
      begin(process, number).catch(() => undefined);
      const ended = await process.ended;
      running.delete(process);
      ready = ready.filter((other) => other !== process);
      process.untaken().forEach(onLost);
      return { pid: process.pid, ...ended };
    },
    stand: async (aside: boolean): Promise<void> => {
      isAside = aside;
      await Promise.all(ready.map((process) => process.standAside(aside)));
    },
    take: (socket: Socket): boolean => {
      const [next, ...others] = ready;
      if (next === undefined || isClosing) return false;
      ready = [...others, next];
      next.take(socket);
      return true;
    },
    closeAll: async (patienceMs: number): Promise<void> => {
      isClosing = true;
      await Promise.all([...running].map((process) => process.close(patienceMs)));
    },
  };
}

const PAUSES = { firstPauseMs: 100, longestPauseMs: 30_000 };
/** After so long, an end is not one of a series. */
const STEADY_MS = 60_000;

/** Resolves after the signal. `onEnded` gets how the process has ended, and the pause before the next one. */
async function keepRunning<T>(
  runOnce: () => Promise<T>,
  onEnded: (how: T, pauseMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let ends = 1; ; ends += 1) {
    const began = performance.now();
    const how = await runOnce();
    if (signal.aborted) return;
    if (performance.now() - began > STEADY_MS) ends = 1;
    const pauseMs = pauseAfter(ends, PAUSES);
    onEnded(how, pauseMs);
    if (!(await passes(pauseMs, signal))) return;
  }
}
