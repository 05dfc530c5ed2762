import { othersTurn } from './others-turn.js';

/** In characters: others have their turn once so much was made. */
const TURN = 262_144;
/** What is inside of so many others is made at once. */
const DEPTH = 3;

/** A part of data that is made only once its JSON is. A part of a record, or of a list, has JSON. */
export class Late<T> {
  readonly toJSON: () => T;

  constructor(make: () => T) {
    this.toJSON = make;
  }
}

/** Whether JSON of about so many characters is made in more than one turn. */
export const takesTurns = (size: number): boolean => size >= TURN;

/** The JSON of data that has about so many characters of it. `gone`: no longer made then. */
export async function jsonInTurns(data: object, size: number, gone?: AbortSignal): Promise<string> {
  if (!takesTurns(size)) return JSON.stringify(data);
  let text = '';
  let end = TURN;
  for (const part of partsOf(data, DEPTH)) {
    text += part;
    if (text.length < end) continue;
    await othersTurn();
    gone?.throwIfAborted();
    end = text.length + TURN;
  }
  return text;
}

function* partsOf(data: unknown, depth: number): Generator<string, void, void> {
  if (data instanceof Late) yield* partsOf(data.toJSON(), depth);
  else if (depth === 0 || typeof data !== 'object' || data === null) yield JSON.stringify(data);
  else if (Array.isArray(data)) yield* partsOfList(data, depth);
  else yield* partsOfRecord(data, depth);
}

function* partsOfList(list: readonly unknown[], depth: number): Generator<string, void, void> {
  yield '[';
  for (const [index, item] of list.entries()) {
    if (index > 0) yield ',';
    yield* partsOf(item, depth - 1);
  }
  yield ']';
}

function* partsOfRecord(record: object, depth: number): Generator<string, void, void> {
  let before = '{';
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(value, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
