/** Milliseconds. */
const MOST_IN_TURN = 4;

interface Queue {
  /** Whether the next one may go on in this turn of the event loop, without waiting. */
  readonly isOpen: () => boolean;
  readonly wait: () => Promise<void>;
}

/** In each turn of the event loop, some go on in the order of their calls, until they have taken some milliseconds. */
function queue(): Queue {
  const waiting: (() => void)[] = [];
  /** The last turn in which some went on, and when the first of them did. */
  let [turn, began] = [-1, 0];
  const hasTime = (): boolean => {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    if (loopCount !== turn) [turn, began] = [loopCount, performance.now()];
    return performance.now() - began < MOST_IN_TURN;
  };
  /** Called once for each who waits. What went on before has run by then, up to where it waits. */
  const next = (): void => {
    if (hasTime()) waiting.shift()?.();
    else setImmediate(next);
  };
  return {
    isOpen: () => waiting.length === 0 && hasTime(),
    wait: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        setImmediate(next);
      }),
  };
}

const [beginnings, slices] = [queue(), queue()];

/**
 * Begins work at once, or in a later turn if this one has begun many. The system hands over one new connection in each turn:
 * while turns are long, nobody gets in.
 */
export const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  beginnings.isOpen() ? work() : beginnings.wait().then(work);

/**
 * Between slices of long work: lets all else that the thread has to do go first. Of many who wait, some go on in each
 * turn of the event loop, one slice each, until they have taken some milliseconds: so their slices do not add up.
 */
export const othersTurn = (): Promise<void> => slices.wait();

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
