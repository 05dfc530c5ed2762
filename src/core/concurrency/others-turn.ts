import { rotation, type Rotation } from './rotation.js';

/** Milliseconds. */
const MOST_IN_TURN = 4;

/** Of the event loop. */
const currentTurn = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

/** Since the first call in a turn of the event loop. */
function hasTime(): () => boolean {
  let [turn, began] = [-1, 0];
  return () => {
    const now = currentTurn();
    if (now !== turn) [turn, began] = [now, performance.now()];
    return performance.now() - began < MOST_IN_TURN;
  };
}

/** In each turn, some go on until they have taken some milliseconds. */
interface Queue {
  readonly waiting: Rotation<() => void>;
  readonly hasTime: () => boolean;
}

const queue = (): Queue => ({ waiting: rotation(), hasTime: hasTime() });
const [beginnings, slices] = [queue(), queue()];
/** One after the other, so that the time of each is its own. */
const queues = [beginnings, slices];

/** Of those who wait, in one turn. */
const MOST_GOING_ON = 64;
let [planned, waiters] = [0, 0];

function plan(): void {
  planned += 1;
  setImmediate(next);
}

/** What went on before has run by then, up to where it waits. */
function next(): void {
  planned -= 1;
  const due = areArriving() ? undefined : queues.find(({ waiting, hasTime }) => !waiting.isEmpty() && hasTime());
  const first = due?.waiting.next();
  if (first !== undefined) {
    waiters -= 1;
    first();
  }
  if (planned < waiters) plan();
}

const wait = ({ waiting }: Queue, caller = ''): Promise<void> =>
  new Promise((resolve) => {
    waiting.add(resolve, caller);
    waiters += 1;
    if (planned < MOST_GOING_ON) plan();
  });

/** Milliseconds, before those who wait go on for as long. */
const MOST_ARRIVING = 8;
const arrivals = { turn: -1, since: 0, isOver: false };

/** The system hands over one new connection in each turn. More may be behind it: they come in turns in which nobody goes on. */
export function connectionComes(): void {
  const [turn, now] = [currentTurn(), performance.now()];
  if (turn > arrivals.turn + 1 || now - arrivals.since >= 2 * MOST_ARRIVING) arrivals.since = now;
  arrivals.turn = turn;
  arrivals.isOver = now - arrivals.since >= MOST_ARRIVING;
}

const areArriving = (): boolean => arrivals.turn === currentTurn() && !arrivals.isOver;

/** Before any of those that wait. */
const isEarly = hasTime();

/**
 * Begins work at once, or in a later turn if this one has begun much: while turns are long, no new connection gets in. Of one
 * caller who has much to begin, others have their turn in between.
 */
export const inTurn = <T>(work: () => Promise<T>, caller?: string): Promise<T> =>
  isEarly() && beginnings.waiting.isEmpty() && !areArriving() ? work() : wait(beginnings, caller).then(work);

/**
 * Between slices of long work: lets all else that the thread has to do go first. Of many who wait, some go on in each
 * turn of the event loop, one slice each, until they have taken some milliseconds: so their slices do not add up.
 */
export const othersTurn = (): Promise<void> => wait(slices);

/** Until all that the system had to report at the call is handled, such as the end of a connection: polling is in between. */
export async function reportsHandled(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

/** Long work in steps that each take no more than some microseconds. It returns what it came to. */
export type Steps<T> = Generator<undefined, T, void>;

const PIECE_STEPS = 2_000;

/** To be awaited between steps of which each may take some milliseconds: others have their turn after so many of them, in which `gone` may abort. */
export function turnTaking(gone?: AbortSignal): () => Promise<void> {
  const isEarlyInTurn = hasTime();
  return async () => {
    if (isEarlyInTurn()) return;
    await othersTurn();
    gone?.throwIfAborted();
  };
}

export async function inTurns<T>(steps: Steps<T>, gone?: AbortSignal): Promise<T> {
  const turn = turnTaking(gone);
  for (;;) {
    await turn();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As `flatMap`, an item in each step. */
export function* flatMapInSteps<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => readonly Result[],
): Steps<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    for (const result of map(item, index)) results.push(result);
    yield;
  }
  return results;
}

/** Takes the steps in pieces. Others have their turn between two pieces. */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  for (let taken = 1; ; taken += 1) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (taken % PIECE_STEPS === 0) await othersTurn();
  }
}
