import { type ReadModelFile } from './file.js';

/** Whether readers see what is written. */
type Readers = 'served' | 'unserved';

interface Waiting {
  readonly work: () => void;
  readonly readers: Readers;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

type Transaction = (work: () => void, readers: Readers) => Promise<void>;

/**
 * One transaction for all that is asked for in one turn of the thread. What fails is undone by itself, and `undone` is
 * called before anything else is done.
 */
export function sharedTransactions(file: ReadModelFile, undone: () => void): Transaction {
  let waiting: readonly Waiting[] = [];
  const run = (): void => {
    const together = waiting;
    waiting = [];
    try {
      const isSeen = together.some(({ readers }) => readers === 'served');
      const ends = file.transaction('IMMEDIATE', () => together.map((part) => endOf(file, part, undone)), isSeen);
      for (const end of ends) end();
    } catch (error) {
      undone();
      for (const { failed } of together) failed(error);
    }
  };
  return (work, readers) =>
    new Promise((done, failed) => {
      if (waiting.length === 0) setImmediate(run);
      waiting = [...waiting, { work, readers, done, failed }];
    });
}

/** What to tell once the transaction is over. */
function endOf(file: ReadModelFile, { work, done, failed }: Waiting, undone: () => void): () => void {
  file.sql('SAVEPOINT part').run();
  try {
    work();
  } catch (error) {
    undo(file, error);
    undone();
    return () => {
      failed(error);
    };
  }
  file.sql('RELEASE part').run();
  return done;
}

function undo(file: ReadModelFile, error: unknown): void {
  try {
    file.sql('ROLLBACK TO part').run();
    file.sql('RELEASE part').run();
  } catch {
    // After some errors (a full disk) SQLite has undone the whole transaction by itself: then it is the error of all.
    throw error;
  }
}

/** Of each transaction, where there may be several. */
const MOST_MS = 20;

/** Work in steps. Unless it is whole, each transaction has some of them: if one fails, those before it have been done. */
export type Stretches = (steps: Iterator<unknown>, readers: Readers, isWhole?: boolean) => Promise<void>;

export function stretches(transaction: Transaction): Stretches {
  // What readers see is of one moment.
  return async (steps, readers, isWhole = readers === 'served') => {
    const work = { isOver: false };
    const stretch = (): void => {
      const end = performance.now() + (isWhole ? Infinity : MOST_MS);
      do work.isOver = steps.next().done === true;
      while (!work.isOver && performance.now() < end);
    };
    while (!work.isOver) await transaction(stretch, readers);
  };
}
