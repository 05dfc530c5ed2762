/** The threads that answer long queries: started when there are some. */
import { availableParallelism } from 'node:os';
import { type Worker } from 'node:worker_threads';
import { concurrencyLimit } from '../../../../core/concurrency/concurrency-limit.js';
import { temporarilyUnavailable } from '../../../../core/problem.js';
import { startThread } from '../../../shared/thread.js';
import { type LongAnswer, type LongQuery } from './messages.js';

/** One processor is left to the thread that serves requests. */
const THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** About as long as others wait for one that looks through more texts: one thread is for others alone. */
const MANY_ROWS_FOR_TEXTS = 400_000;
/** At the threads. */
const MOST_WAITING = 1000;
const PATIENCE_MS = 10_000;

export interface LongQueries {
  readonly ask: (query: LongQuery) => Promise<LongAnswer>;
  /** Resolves once no thread is left. Queries under way are answered before. */
  readonly close: () => Promise<void>;
}

interface Thread {
  readonly ask: (query: LongQuery) => Promise<LongAnswer>;
  /** A thread must not be terminated while the engine works: that would end the process. */
  readonly end: () => Promise<void>;
}

export function longQueries(directory: string): LongQueries {
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  const [inTurn, veryLongInTurn] = [limitOf(THREADS), limitOf(THREADS - 1)];
  const asked = new Set<Promise<LongAnswer>>();
  let isClosed = false;
  const started = (): Thread => {
    const thread = threadOn(directory, () => threads.delete(thread));
    threads.add(thread);
    return thread;
  };
  const idleThread = (): Thread => {
    const known = idle.pop();
    if (known === undefined) return started();
    return threads.has(known) ? known : idleThread();
  };
  return {
    ask: (query) => {
      const answered = () =>
        inTurn(async () => {
          if (isClosed) throw temporarilyUnavailable('The read models are closed');
          const thread = idleThread();
          const answer = await thread.ask(query);
          idle.push(thread);
          return answer;
        });
      const answer = query.rowsForTexts > MANY_ROWS_FOR_TEXTS ? veryLongInTurn(answered) : answered();
      asked.add(answer);
      const settled = () => asked.delete(answer);
      answer.then(settled, settled);
      return answer;
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.end()));
      await Promise.allSettled(asked);
    },
  };
}

const limitOf = (most: number) =>
  concurrencyLimit({
    most,
    mostWaiting: MOST_WAITING,
    patienceMs: PATIENCE_MS,
    refused: () => temporarilyUnavailable('Too many long queries at once; retry later'),
  });

/** One query at a time. `gone` is called when it has ended, whatever the cause. */
function threadOn(directory: string, gone: () => void): Thread {
  const worker = startThread('src/stores/sqlite/read-models/long-queries/thread', { workerData: { directory } });
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      gone();
      resolve();
    });
  });
  // Told to the query under way; without one, the next query has another thread.
  worker.on('error', () => undefined);
  // A thread without a query is no reason for the process to go on.
  worker.unref();
  let isEnding = false;
  return {
    ask: async (query) => {
      worker.ref();
      try {
        return await answerOf(worker, query);
      } finally {
        // The process waits for a thread that ends.
        if (!isEnding) worker.unref();
      }
    },
    end: () => {
      isEnding = true;
      worker.ref();
      worker.postMessage(null);
      return exited;
    },
  };
}

function answerOf(worker: Worker, query: LongQuery): Promise<LongAnswer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off('message', answered).off('error', failed).off('exit', ended);
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
    worker.on('message', answered).on('error', failed).on('exit', ended);
    worker.postMessage(query);
  });
}
