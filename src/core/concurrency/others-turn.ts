/** Milliseconds. */
const MOST_IN_TURN = 4;

const waiting: (() => void)[] = [];
/** The last turn of the event loop in which some went on, and when the first of them did. */
let [turn, began] = [-1, 0];

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
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  if (loopCount !== turn) [turn, began] = [loopCount, performance.now()];
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
