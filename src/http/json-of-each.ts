import { othersTurn } from '../core/concurrency/others-turn.js';

/** In characters. */
const MADE_AT_ONCE = 262_144;

/** JSON texts in lists, made while they are taken. Others have their turn between lists. One text may be a list. */
export async function* jsonOfEach<T>(
  items: Iterable<T>,
  represent: (item: T) => object,
): AsyncGenerator<readonly string[], void, void> {
  let texts: string[] = [];
  let size = 0;
  for (const item of items) {
    const text = JSON.stringify(represent(item));
    texts.push(text);
    size += text.length;
    if (size < MADE_AT_ONCE) continue;
    yield texts;
    texts = [];
    size = 0;
    await othersTurn();
  }
  if (texts.length > 0) yield texts;
}
