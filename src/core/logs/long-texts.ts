/**
 * Long texts that are made as a whole before they are sent. The process makes one at a time, and another one for answers that
 * have begun, and only while those that are made, and that their readers have not taken, leave room.
 */
import { cacheSize } from '../bounds.js';
import { temporarilyUnavailable } from '../problem.js';
import { concurrencyLimit } from '../concurrency/concurrency-limit.js';
import { condition } from '../concurrency/condition.js';

/** In characters: a text that holds more counts as several answers. */
const ONE_ANSWER = 524_288;
/** Answers that begin and wait for their readers. On less memory, fewer. */
export const MOST_WAITING_ANSWERS = cacheSize(250);
const MOST_HELD = (MOST_WAITING_ANSWERS / 2) * ONE_ANSWER;
const PATIENCE_MS = 30_000;
/** As long as an answer may take. */
const REST_PATIENCE_MS = 600_000;
/** Each holds what its text is made of. */
const MOST_WAITING = 16;

const held = new WeakMap<object, number>();
let total = 0;
const room = condition();

/** In characters, of an answer: what is made of it and not yet handed on. Zero at its end. */
export function noteHeld(answer: object, characters: number): void {
  total += characters - heldOf(answer);
  held.set(answer, characters);
  room.notify();
}

const heldOf = (answer: object): number => held.get(answer) ?? 0;

/** As how many answers it counts: twice as many while a long text waits for room. */
export const answersIn = (answer: object): number =>
  (room.isWaitedFor() ? 2 : 1) * (Math.ceil(heldOf(answer) / ONE_ANSWER) || 1);

const tooMany = () => temporarilyUnavailable('Too many long answers are under way; retry later');

const oneByOne = (mostWaiting: number, patienceMs: number) => {
  const limit = concurrencyLimit({ fewest: 1, most: 1, slowMs: Infinity, mostWaiting, patienceMs, refused: tooMany });
  return <T>(make: () => Promise<T>, gone?: AbortSignal): Promise<T> =>
    limit(
      async () => {
        const isRoom = await room.until(() => total <= MOST_HELD, { patienceMs, ...(gone && { signal: gone }) });
        gone?.throwIfAborted();
        if (!isRoom) throw tooMany();
        return make();
      },
      undefined,
      gone,
    );
};

const ofAnswers = oneByOne(MOST_WAITING, PATIENCE_MS);
/** Of answers that have begun: an error would break them. */
const ofRests = oneByOne(Infinity, REST_PATIENCE_MS);
const begun = new WeakSet<AbortSignal>();

/** The request of this signal has sent a part of its answer. */
export function answerBegins(gone: AbortSignal | undefined): void {
  if (gone !== undefined) begun.add(gone);
}

/** Nothing within waits for a reader, or makes another one. `gone` is the one of its request. */
export const makeLongText = <T>(make: () => Promise<T>, gone?: AbortSignal): Promise<T> =>
  (gone !== undefined && begun.has(gone) ? ofRests : ofAnswers)(make, gone);
