import { othersTurn } from '../core/concurrency/others-turn.js';

/** In characters. */
const MADE_AT_ONCE = 262_144;

type Lists = AsyncGenerator<readonly string[], void, void>;

/** Texts in lists, made while they are taken. Others have their turn between lists. One text may be a list. */
export async function* inLists(texts: Iterable<string>, gone?: AbortSignal): Lists {
  let list: string[] = [];
  let size = 0;
  for (const text of texts) {
    list.push(text);
    size += text.length;
    if (size < MADE_AT_ONCE) continue;
    yield list;
    list = [];
    size = 0;
    await othersTurn();
    gone?.throwIfAborted();
  }
  if (list.length > 0) yield list;
}

/** The same of JSON. */
export const jsonOfEach = <T>(items: Iterable<T>, represent: (item: T) => object): Lists =>
  inLists(jsonTexts(items, represent));

function* jsonTexts<T>(items: Iterable<T>, represent: (item: T) => object): Generator<string, void, void> {
  for (const item of items) yield JSON.stringify(represent(item));
}
