/** Milliseconds. */
const MOST_IN_TURN = 4;

const waiting: (() => void)[] = [];
/** When the first of those went on that do so in this turn of the event loop; null before it. */
let began: number | null = null;

/**
 * Between slices of long work: lets all else that the thread has to do go first. Of many who wait, some go on in each
 * turn of the event loop, one slice each, until they have taken some milliseconds: so their slices do not add up.
 */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(next);
  });
}

/** Called once for each who waits. What went on before has run by then, up to where it waits. */
function next(): void {
  if (began === null) {
    began = performance.now();
    // Ahead of all that waits for the next turn.
    setImmediate(() => (began = null));
  }
  if (performance.now() - began < MOST_IN_TURN) waiting.shift()?.();
  else setImmediate(next);
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
