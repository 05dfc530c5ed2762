/**
 * Long texts that are made as a whole before they are sent. The process makes one at a time, and another one for answers that
 * have begun, and only while those that are made, and that their readers have not taken, leave room.
 */
import { cacheSize } from '../bounds.js';
import { temporarilyUnavailable } from '../problem.js';
import { beginning, type End } from '../concurrency/concurrency-limit.js';
import { condition } from '../concurrency/condition.js';
import { fairLimit } from '../concurrency/fair-limit.js';
import { sharesOf } from '../concurrency/shares.js';

/** In characters: a text that holds more counts as several answers. */
const ONE_ANSWER = 524_288;
/** Answers that begin and wait for their readers. On less memory, fewer. */
export const MOST_WAITING_ANSWERS = cacheSize(250);
/** So many of them, while a long text waits for room, may be long. */
export const MOST_LONG_ANSWERS = Math.floor(MOST_WAITING_ANSWERS / 2);
const MOST_HELD = MOST_LONG_ANSWERS * ONE_ANSWER;
const LONGEST = MOST_HELD / 2;
const PATIENCE_MS = 30_000;
/** As long as an answer may take. */
const REST_PATIENCE_MS = 600_000;
/** Fewer than lists are made at once: others are made beside. */
const MOST_LISTS = Math.max(2, cacheSize(16));
const held = new WeakMap<object, number>();
let total = 0;
const room = condition();

/** In characters, of an answer: the last list of texts until its last piece is handed on. Zero at its end. */
export function noteHeld(answer: object, characters: number): void {
  // The longest one alone leaves room for others.
  const counted = Math.min(characters, LONGEST);
  total += counted - heldOf(answer);
  held.set(answer, counted);
  room.notify();
}

const heldOf = (answer: object): number => held.get(answer) ?? 0;

/** As how many answers it counts: at least as one. */
export const answersIn = (answer: object): number => Math.ceil(shareOf(answer)) || 1;

/** The same by its size alone, which may be less than one answer. */
export const shareOf = (answer: object): number => heldOf(answer) / ONE_ANSWER;

/** Whether a long text waits for room that readers of others could give. */
export const isRoomWanted = (): boolean => room.waiting() > 0;

const tooMany = () => temporarilyUnavailable('Too many long answers are under way; retry later');

const ofAnswers = fairLimit({ most: 1 });
/** In their turn, or waiting for it. */
const lists = sharesOf(MOST_LISTS + 1);
/** Of answers that have begun: an error would break them. */
const ofRests = fairLimit({ most: 1 });

export interface Asker {
  readonly caller: string;
  /** For as long as a part of its answer waits, and holds nothing. */
  readonly uncounted: <T>(wait: () => Promise<T>) => Promise<T>;
}

const askers = new WeakMap<AbortSignal, Asker>();
const NOBODY: Asker = { caller: '', uncounted: (wait) => wait() };
const askerOf = (gone: AbortSignal): Asker => askers.get(gone) ?? NOBODY;

/** By the signal of the request. */
export function noteAsker(gone: AbortSignal, asker: Asker): void {
  askers.set(gone, asker);
}

const begun = new WeakSet<AbortSignal>();
/** The requests whose turn it is. */
const inTurn = new WeakSet<AbortSignal>();

/** The request of this signal has sent a part of its answer. */
export function answerBegins(gone: AbortSignal | undefined): void {
  if (gone !== undefined) begun.add(gone);
}

/**
 * In a turn of its own, unless it is the turn of its request, of which `gone` is the signal. Who waits for it should hold
 * nothing that is long. Nothing within waits for a reader. `isAlone`: it waits in a place that no list needs. `holdsNothing`:
 * it does not count for its caller while it waits.
 */
export async function makeLongText<T>(
  make: () => Promise<T>,
  gone = new AbortController().signal,
  { isAlone = false, holdsNothing = false } = {},
): Promise<T> {
  if (inTurn.has(gone)) return make();
  const asker = askerOf(gone);
  if (begun.has(gone)) return makeRest(make, gone, asker, holdsNothing);
  const inOrder = () =>
    ofAnswers.run(
      () => inRoom(make, PATIENCE_MS, gone),
      asker.caller,
      () => gone,
    );
  return isAlone ? inOrder() : asOneOfLists(inOrder, asker.caller);
}

async function makeRest<T>(
  make: () => Promise<T>,
  gone: AbortSignal,
  { caller, uncounted }: Asker,
  holdsNothing: boolean,
): Promise<T> {
  const turn = (): Promise<End> => beginning((work) => ofRests.run(work, caller, () => gone));
  const end = await (holdsNothing ? uncounted(turn) : turn());
  try {
    return await inRoom(make, REST_PATIENCE_MS, gone);
  } finally {
    end();
  }
}

async function asOneOfLists<T>(inOrder: () => Promise<T>, caller: string): Promise<T> {
  if (lists.lack(caller, 1) > 0) throw tooMany();
  lists.add(caller, 1);
  try {
    return await inOrder();
  } finally {
    lists.add(caller, -1);
  }
}

async function inRoom<T>(make: () => Promise<T>, patienceMs: number, gone: AbortSignal): Promise<T> {
  const isRoom = await room.until(() => total <= MOST_HELD, { patienceMs, signal: gone });
  gone.throwIfAborted();
  if (!isRoom) throw tooMany();
  inTurn.add(gone);
  try {
    return await make();
  } finally {
    inTurn.delete(gone);
  }
}
