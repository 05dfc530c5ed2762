import { type ReadModelFile } from './file.js';

interface Waiting {
  readonly work: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * One transaction for all that is asked for in one turn of the thread. What fails is undone by itself, and `undone` is
 * called before anything else is done.
 */
export function sharedTransactions(file: ReadModelFile, undone: () => void): (work: () => void) => Promise<void> {
  let waiting: readonly Waiting[] = [];
  const run = (): void => {
    const together = waiting;
    waiting = [];
    try {
      const ends = file.transaction('IMMEDIATE', () => together.map((part) => endOf(file, part, undone)));
      for (const end of ends) end();
    } catch (error) {
      undone();
      for (const { failed } of together) failed(error);
    }
  };
  return (work) =>
    new Promise((done, failed) => {
      if (waiting.length === 0) setImmediate(run);
      waiting = [...waiting, { work, done, failed }];
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

/** Of a generation without readers. */
export const STRETCH_MS = 20;

/** Work in steps: about so many milliseconds of it in each transaction. If one fails, those before it have been done. */
export type Stretches = (steps: Iterator<unknown>, ms: number) => Promise<void>;

export function stretches(transaction: (work: () => void) => Promise<void>): Stretches {
  return async (steps, ms) => {
    const work = { isOver: false };
    const stretch = (): void => {
      const end = performance.now() + ms;
      do work.isOver = steps.next().done === true;
      while (!work.isOver && performance.now() < end);
    };
    while (!work.isOver) await transaction(stretch);
  };
}
