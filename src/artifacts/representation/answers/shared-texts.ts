/** Texts that several holders have in common, held and counted once. */
import { textSize } from '../../../core/bounds.js';
import { type Parts } from '../../../http/send-json.js';

export interface SharedTexts {
  /** In bytes, of all that is shared. */
  size(): number;
  /** The same parts, each as the one text that all hold. */
  hold(parts: Parts): Parts;
  /** What `hold` gave: each as often as it was held. */
  release(parts: Parts): void;
}

interface Held {
  readonly text: string;
  holders: number;
}

/** In characters. Shorter ones are not shared. */
const SHORT = 256;
const REFERENCE = 8;
/** With the same print. Further ones are held for themselves, so that nobody can make the list long. */
const MOST_ALIKE = 8;

export function sharedTexts(): SharedTexts {
  const byPrint = new Map<number, Held[]>();
  let size = 0;

  const holdOne = (text: string): string => {
    const print = printOf(text);
    const alike = byPrint.get(print) ?? [];
    const same = alike.find((held) => held.text === text);
    if (same === undefined) {
      size += textSize(text);
      if (alike.length < MOST_ALIKE) byPrint.set(print, [...alike, { text, holders: 1 }]);
      return text;
    }
    same.holders += 1;
    return same.text;
  };
  const releaseOne = (text: string): void => {
    const print = printOf(text);
    const alike = byPrint.get(print) ?? [];
    const same = alike.find((held) => held.text === text);
    if (same !== undefined && same.holders > 1) {
      same.holders -= 1;
      return;
    }
    size -= textSize(text);
    const others = alike.filter((held) => held !== same);
    if (others.length > 0) byPrint.set(print, others);
    else byPrint.delete(print);
  };

  return {
    size: () => size,
    hold: (parts) => parts.map((text) => (text.length < SHORT ? text : holdOne(text))),
    release: (parts) => {
      for (const text of parts) if (text.length >= SHORT) releaseOne(text);
    },
  };
}

/** In bytes, of what each holder of such parts has for itself. */
export const ownSize = (parts: Parts): number =>
  parts.reduce((size, { length }) => size + REFERENCE + (length < SHORT ? length : 0), 0);

/** In characters: an artifact's text begins with its id. */
const BEGINNING = 24;
const SAMPLES = 40;

/** Of some characters: the engine would look at all of them, which takes 15 µs for those of an artifact. */
function printOf(text: string): number {
  let print = text.length;
  for (let at = 0; at < BEGINNING; at += 1) print = mixed(print, text.charCodeAt(at));
  for (let nth = 1; nth <= SAMPLES; nth += 1) {
    print = mixed(print, text.charCodeAt(Math.floor((nth * text.length) / (SAMPLES + 1))));
  }
  return print;
}

const mixed = (print: number, unit: number): number => (Math.imul(print, 31) + unit) | 0;
