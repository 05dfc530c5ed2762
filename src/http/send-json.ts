import { Readable } from 'node:stream';
import { type Context } from 'koa';
import { othersTurn } from '../core/concurrency/others-turn.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** In bytes. The progress of a client within a single write is invisible. */
const WHOLE = 262_144;
/** In characters: larger texts go to the connection in pieces of this size. */
const PIECE = 65_536;
/** In characters: other requests run after this much. */
const TURN = 1_048_576;
/** In characters: how much of an answer is made before it is sent. */
const BEGINNING = 1_048_576;

/** Answers with text that is JSON already. */
export function sendJson(ctx: Context, text: string): void {
  ctx.set('Content-Type', JSON_TYPE);
  const length = text.length * 3 > WHOLE ? Buffer.byteLength(text) : 0;
  if (length <= WHOLE) {
    ctx.body = text;
    return;
  }
  ctx.body = Readable.from(inTurns([text]), { objectMode: false });
  ctx.length = length;
}

/** The beginning of an answer, and the rest that is made while it is sent. */
export interface Begun {
  readonly text: string;
  /** Null if the text is whole. */
  readonly rest: AsyncIterator<string> | null;
}

/** Errors up to here can still become an answer. */
export async function begin(texts: AsyncIterator<string>): Promise<Begun> {
  const beginning: string[] = [];
  for (let size = 0; size < BEGINNING;) {
    const next = await texts.next();
    if (next.done === true) return { text: beginning.join(''), rest: null };
    beginning.push(next.value);
    size += next.value.length;
  }
  return { text: beginning.join(''), rest: texts };
}

/** An error of the rest breaks the connection. The rest is made at the pace of the client. */
export function sendBegun(ctx: Context, { text, rest }: Begun): void {
  if (rest === null) {
    sendJson(ctx, text);
    return;
  }
  ctx.set('Content-Type', JSON_TYPE);
  ctx.body = Readable.from(inTurns([text], rest), { objectMode: false });
}

export async function sendTexts(ctx: Context, texts: AsyncIterator<string>): Promise<void> {
  sendBegun(ctx, await begin(texts));
}

/** One JSON text of many, which come in lists. */
export async function* jsonList(
  lists: AsyncIterable<readonly string[]>,
  [open, close]: readonly [string, string] = ['[', ']'],
): AsyncGenerator<string, void, void> {
  let before = open;
  for await (const list of lists) {
    if (list.length === 0) continue;
    yield `${before}${list.join()}`;
    before = ',';
  }
  yield before === open ? `${open}${close}` : close;
}

/** What stands around a list that is a member of an object. Other members come before and after it. */
export const aroundMember = (before: object, name: string, after: object): readonly [string, string] => [
  `${JSON.stringify(before).slice(0, -1)},${JSON.stringify(name)}:[`,
  `],${JSON.stringify(after).slice(1)}`,
];

/** The same as a member of an object. */
export const collection = (lists: AsyncIterable<readonly string[]>): AsyncGenerator<string, void, void> =>
  jsonList(lists, ['{"collection":[', ']}']);

/**
 * `first` releases its text, so that memory does not hold what a slow client has read. A fast client does not block
 * other requests.
 */
async function* inTurns(first: string[], rest?: AsyncIterator<string>): AsyncGenerator<Buffer, void, void> {
  let left = TURN;
  for (let text = first.pop(); text !== undefined; text = await nextOf(rest)) {
    for (const piece of pieces(text)) {
      yield piece;
      left -= piece.length;
      if (left > 0) continue;
      await othersTurn();
      left = TURN;
    }
  }
}

async function nextOf(texts: AsyncIterator<string> | undefined): Promise<string | undefined> {
  const next = await texts?.next();
  return next?.done === false ? next.value : undefined;
}

function* pieces(text: string): Generator<Buffer, void, void> {
  for (let from = 0; from < text.length;) {
    const to = from + PIECE;
    const end = isHighSurrogate(text.charCodeAt(to - 1)) ? to + 1 : to;
    yield Buffer.from(text.slice(from, end));
    from = end;
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
