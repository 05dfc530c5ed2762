const waiting: (() => void)[] = [];

/**
 * Between slices of long work: lets all else that the thread has to do go first. Of many who wait, one goes on in each
 * turn of the event loop, so that their slices do not add up.
 */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** Long work in steps that each take no more than some microseconds. It returns what it came to. */
export type Steps<T> = Generator<undefined, T, void>;

const PIECE_STEPS = 2_000;

/** Takes the steps in pieces. Others have their turn between two pieces. */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (taken % PIECE_STEPS === 0) await othersTurn();
  }
}
