/** The threads that answer long queries: started when there are some. */
import { availableParallelism } from 'node:os';
import { type Worker } from 'node:worker_threads';
import { concurrencyLimit } from '../../../../core/concurrency/concurrency-limit.js';
import { Problem } from '../../../../core/problem.js';
import { startThread } from '../../../shared/thread.js';
import { type LongAnswer, type LongQuery } from './messages.js';

/** One processor is left to the thread that serves requests. */
const THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));
/** At the threads. */
const MOST_WAITING = 1000;
const PATIENCE_MS = 10_000;
const RETRY_AFTER_S = 2;

export interface LongQueries {
  readonly ask: (query: LongQuery) => Promise<LongAnswer>;
  readonly close: () => void;
}

interface Thread {
  readonly ask: (query: LongQuery) => Promise<LongAnswer>;
  readonly terminate: () => void;
}

export function longQueries(directory: string): LongQueries {
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  const inTurn = concurrencyLimit({
    fewest: THREADS,
    most: THREADS,
    slowMs: Infinity,
    mostWaiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
    refused: () =>
      new Problem('unavailable', 'Too many long queries at once; retry later', { retryAfter: RETRY_AFTER_S }),
  });
  const started = (): Thread => {
    const thread = threadOn(directory);
    threads.add(thread);
    return thread;
  };
  return {
    ask: (query) =>
      inTurn(async () => {
        const thread = idle.pop() ?? started();
        try {
          const answer = await thread.ask(query);
          idle.push(thread);
          return answer;
        } catch (error) {
          threads.delete(thread);
          thread.terminate();
          throw error;
        }
      }),
    close: () => {
      for (const thread of threads) thread.terminate();
    },
  };
}

/** One query at a time. */
function threadOn(directory: string): Thread {
  const worker = startThread('src/stores/sqlite/read-models/long-queries/thread', { workerData: { directory } });
  // A thread without a query is no reason for the process to go on.
  worker.unref();
  return {
    ask: (query) => answerOf(worker, query),
    terminate: () => void worker.terminate(),
  };
}

function answerOf(worker: Worker, query: LongQuery): Promise<LongAnswer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off('message', answered).off('error', failed).off('exit', ended).unref();
    };
    const answered = (answer: LongAnswer): void => {
      settle();
      resolve(answer);
    };
    const failed = (error: unknown): void => {
      settle();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const ended = (): void => {
      failed(new Error('The thread of long queries has ended'));
    };
    worker.on('message', answered).on('error', failed).on('exit', ended).ref();
    worker.postMessage(query);
  });
}
