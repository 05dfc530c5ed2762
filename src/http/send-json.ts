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

const OVER = { done: true, value: undefined } as const;

/** One JSON text of many, which come in lists. No generator: while the next list is made, that would hold the last one. */
export function jsonList(
  lists: AsyncIterable<readonly string[]>,
  [open, close]: readonly [string, string] = ['[', ']'],
): AsyncIterableIterator<Parts, void, void> {
  const texts = lists[Symbol.asyncIterator]();
  let isEmpty = true;
  let isClosed = false;
  const next = async (): Promise<IteratorResult<Parts, void>> => {
    if (isClosed) return OVER;
    const made = await texts.next();
    if (made.done === true) {
      isClosed = true;
      return { done: false, value: isEmpty ? [open, close] : [close] };
    }
    if (made.value.length === 0) return next();
    const before = isEmpty ? open : ',';
    isEmpty = false;
    return { done: false, value: made.value.flatMap((text, nth) => [nth === 0 ? before : ',', text]) };
  };
  const end = async (): Promise<IteratorResult<Parts, void>> => {
    isClosed = true;
    await texts.return?.();
    return OVER;
  };
  const list: AsyncIterableIterator<Parts, void, void> = { next, return: end, [Symbol.asyncIterator]: () => list };
  return list;
}

/** What stands around a list that is a member of an object. Other members come before and after it. */
export const aroundMember = (before: object, name: string, after: object): readonly [string, string] => [
  `${JSON.stringify(before).slice(0, -1)},${JSON.stringify(name)}:[`,
  `],${JSON.stringify(after).slice(1)}`,
];

/** The same as a member of an object. */
export const collection = (lists: AsyncIterable<readonly string[]>): AsyncIterableIterator<Parts, void, void> =>
  jsonList(lists, ['{"collection":[', ']}']);

/**
 * What is taken is released, so that memory does not hold what a slow client has read. A fast client does not block
 * other requests. No generator: while the next parts are made, that would hold the last ones.
 */
function buffersOf(
  { res, state }: Context,
  parts: Parts,
  rest?: AsyncIterator<Parts>,
): AsyncIterableIterator<Buffer, void, void> {
  const further = (): Promise<Parts | undefined> => nextOf(rest);
  let upcoming: Parts | undefined = parts;
  let isOver = false;
  let take = pieces([]);
  let left = TURN;
  const isClosed = (): boolean => isOver;
  const next = (): Promise<IteratorResult<Buffer, void>> => {
    const piece = take();
    return piece === undefined ? more() : paced(piece);
  };
  const paced = async (piece: Buffer): Promise<IteratorResult<Buffer, void>> => {
    left = left > piece.length ? left - piece.length : await anotherTurn();
    return { done: false, value: piece };
  };
  const more = async (): Promise<IteratorResult<Buffer, void>> => {
    noteHeld(res, 0);
    const made = upcoming ?? (rest && (await (state.further?.(further) ?? further())));
    upcoming = undefined;
    // It may have ended meanwhile, and nobody takes what was made.
    if (made === undefined || isClosed()) return OVER;
    noteHeld(res, sizeOf(made));
    take = pieces([...made]);
    return next();
  };
  const end = (): Promise<IteratorResult<Buffer, void>> => {
    isOver = true;
    noteHeld(res, 0);
    [upcoming, take] = [undefined, pieces([])];
    return Promise.resolve(OVER);
  };
  const buffers: AsyncIterableIterator<Buffer, void, void> = {
    next,
    return: end,
    [Symbol.asyncIterator]: () => buffers,
  };
  return buffers;
}

async function anotherTurn(): Promise<number> {
  await othersTurn();
  return TURN;
}

async function nextOf(texts: AsyncIterator<Parts> | undefined): Promise<Parts | undefined> {
  const next = await texts?.next();
  return next?.done === false ? next.value : undefined;
}

/** Takes all parts away, piece by piece. */
function pieces(parts: string[]): () => Buffer | undefined {
  let from = 0;
  return () => {
    const [text] = parts;
    if (text === undefined) return undefined;
    if (text.length <= PIECE) return Buffer.from(parts.splice(0, fitting(parts)).join(''));
    const to = from + PIECE;
    const end = isHighSurrogate(text.charCodeAt(to - 1)) ? to + 1 : to;
    const piece = Buffer.from(text.slice(from, end));
    from = end < text.length ? end : 0;
    if (from === 0) parts.shift();
    return piece;
  };
}

/** How many of the first parts are no more than a piece. */
function fitting(parts: Parts): number {
  let size = 0;
  const beyond = parts.findIndex(({ length }) => (size += length) > PIECE);
  return beyond === -1 ? parts.length : beyond;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
