import { Readable } from 'node:stream';
import { type Context } from 'koa';
import { othersTurn } from '../core/concurrency/others-turn.js';
import { answerBegins, noteHeld } from '../core/logs/long-texts.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** In bytes. The progress of a client within a single write is invisible. */
const WHOLE = 262_144;
/** In characters: larger texts go to the connection in pieces of this size. */
const PIECE = 65_536;
/** In characters: other requests run after this much. */
const TURN = 1_048_576;
/** In characters: how much of an answer is made before it is sent. */
const BEGINNING = 1_048_576;

/** Parts of one text, in order. To join many of them would copy all. */
export type Parts = readonly string[];

const sizeOf = (parts: Parts): number => parts.reduce((size, { length }) => size + length, 0);

/** Answers with text that is JSON already. */
export function sendJson(ctx: Context, text: string): void {
  sendParts(ctx, [text]);
}

function sendParts(ctx: Context, parts: Parts): void {
  ctx.set('Content-Type', JSON_TYPE);
  const length = sizeOf(parts) * 3 > WHOLE ? parts.reduce((bytes, part) => bytes + Buffer.byteLength(part), 0) : 0;
  if (length <= WHOLE) {
    ctx.body = parts.join('');
    return;
  }
  ctx.body = Readable.from(buffersOf(ctx, parts), { objectMode: false });
  ctx.length = length;
}

/** The beginning of an answer, and the rest that is made while it is sent. */
export interface Begun {
  readonly parts: Parts;
  /** Null if the text is whole. */
  readonly rest: AsyncIterator<Parts> | null;
}

/** Errors up to here can still become an answer. */
export async function begin(texts: AsyncIterator<Parts>): Promise<Begun> {
  const beginning: string[] = [];
  let size = 0;
  while (size < BEGINNING) {
    const next = await texts.next();
    if (next.done === true) return { parts: size > WHOLE ? beginning : [beginning.join('')], rest: null };
    // They may be more than a call takes.
    for (const part of next.value) beginning.push(part);
    size += sizeOf(next.value);
  }
  return { parts: beginning, rest: texts };
}

/**
 * An error of the rest breaks the connection. The rest is made at the pace of the client, and ends with the answer, also
 * where none of it was sent.
 */
export function sendBegun(ctx: Context, { parts, rest }: Begun): void {
  if (rest === null) {
    sendParts(ctx, parts);
    return;
  }
  ctx.set('Content-Type', JSON_TYPE);
  answerBegins(ctx.state.gone);
  const body = Readable.from(buffersOf(ctx, parts, rest), { objectMode: false });
  body.once('close', () => void rest.return?.().catch(() => undefined));
  ctx.body = body;
}

export async function sendTexts(ctx: Context, texts: AsyncIterator<Parts>): Promise<void> {
  sendBegun(ctx, await begin(texts));
}

/** One JSON text of many, which come in lists. */
export async function* jsonList(
  lists: AsyncIterable<readonly string[]>,
  [open, close]: readonly [string, string] = ['[', ']'],
): AsyncGenerator<Parts, void, void> {
  let isEmpty = true;
  for await (const list of lists) {
    if (list.length === 0) continue;
    yield list.flatMap((text, nth) => [nth === 0 && isEmpty ? open : ',', text]);
    isEmpty = false;
  }
  yield isEmpty ? [open, close] : [close];
}

/** What stands around a list that is a member of an object. Other members come before and after it. */
export const aroundMember = (before: object, name: string, after: object): readonly [string, string] => [
  `${JSON.stringify(before).slice(0, -1)},${JSON.stringify(name)}:[`,
  `],${JSON.stringify(after).slice(1)}`,
];

/** The same as a member of an object. */
export const collection = (lists: AsyncIterable<readonly string[]>): AsyncGenerator<Parts, void, void> =>
  jsonList(lists, ['{"collection":[', ']}']);

/**
 * What is taken is released, so that memory does not hold what a slow client has read. A fast client does not block
 * other requests.
 */
async function* buffersOf(
  { res }: Context,
  parts: Parts | undefined,
  rest?: AsyncIterator<Parts>,
): AsyncGenerator<Buffer, void, void> {
  let left = TURN;
  try {
    while (parts !== undefined) {
      const own = [...parts];
      // Nothing else holds them while the next ones are made.
      parts = undefined;
      noteHeld(res, sizeOf(own));
      for (const piece of pieces(own)) {
        yield piece;
        left = left > piece.length ? left - piece.length : await anotherTurn();
      }
      noteHeld(res, 0);
      parts = await nextOf(rest);
    }
  } finally {
    noteHeld(res, 0);
  }
}

async function anotherTurn(): Promise<number> {
  await othersTurn();
  return TURN;
}

async function nextOf(texts: AsyncIterator<Parts> | undefined): Promise<Parts | undefined> {
  const next = await texts?.next();
  return next?.done === false ? next.value : undefined;
}

/** Takes all parts away. */
function* pieces(parts: string[]): Generator<Buffer, void, void> {
  while (parts.length > 0) {
    if ((parts[0]?.length ?? 0) > PIECE) yield* cut(parts.shift() ?? '');
    else yield Buffer.from(parts.splice(0, fitting(parts)).join(''));
  }
}

/** How many of the first parts are no more than a piece. */
function fitting(parts: Parts): number {
  let size = 0;
  const beyond = parts.findIndex(({ length }) => (size += length) > PIECE);
  return beyond === -1 ? parts.length : beyond;
}

function* cut(text: string): Generator<Buffer, void, void> {
  for (let from = 0; from < text.length;) {
    const to = from + PIECE;
    const end = isHighSurrogate(text.charCodeAt(to - 1)) ? to + 1 : to;
    yield Buffer.from(text.slice(from, end));
    from = end;
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
