/**
 * The queue for the rendering thread. The next text is of the reader with the fewest rendered characters, and of that
 * reader's request with the fewest. Long texts wait for short ones.
 */
import { type TextValue } from '../../trackers/field-types/field-value.js';

export interface Waiting {
  /** Anonymous readers are one. */
  readonly reader: number | null;
  /** The last one is the next. */
  readonly texts: TextValue[];
}

export interface Taken<Request> {
  readonly request: Request;
  readonly text: TextValue;
}

export interface FairQueue<Request extends Waiting> {
  add(request: Request): void;
  /** Has to be called once all its texts are rendered: until then, its reader is known to have been given them. */
  remove(request: Request): void;
  /** Takes the next text, which counts as given. None while that has more than `most` characters. */
  take(most?: number): Taken<Request> | undefined;
  /** The requests that wait for the most are taken out until the rest fits, in characters. One may always stay. */
  overflow(maximum: number): readonly Request[];
  all(): readonly Request[];
}

/** In characters. */
interface Shares {
  given: number;
  left: number;
}

export function fairQueue<Request extends Waiting>(): FairQueue<Request> {
  const requests = new Map<Request, Shares>();
  const readers = new Map<number | null, number>();

  const remove = (request: Request): void => {
    requests.delete(request);
    const { reader } = request;
    if (![...requests.keys()].some((other) => other.reader === reader)) readers.delete(reader);
  };
  const isBefore = ([a, { given: givenA }]: Entry<Request>, [b, { given: givenB }]: Entry<Request>): boolean => {
    const difference = (readers.get(a.reader) ?? 0) - (readers.get(b.reader) ?? 0);
    return difference < 0 || (difference === 0 && givenA + nextOf(a) < givenB + nextOf(b));
  };
  const best = (isBetter: (a: Entry<Request>, b: Entry<Request>) => boolean): Entry<Request> | undefined =>
    [...requests]
      .filter(([{ texts }]) => texts.length > 0)
      .reduce<Entry<Request> | undefined>(
        (chosen, entry) => (chosen === undefined || isBetter(entry, chosen) ? entry : chosen),
        undefined,
      );

  return {
    add: (request) => {
      requests.set(request, { given: 0, left: request.texts.reduce((sum, { text }) => sum + text.length, 0) });
      // A reader who comes anew has no claim to what the others were given before.
      if (!readers.has(request.reader)) readers.set(request.reader, least(readers.values()));
    },
    remove,
    take: (most = Infinity) => {
      const [request, shares] = best(isBefore) ?? [];
      if (request === undefined || shares === undefined || nextOf(request) > most) return undefined;
      const length = nextOf(request);
      shares.given += length;
      shares.left -= length;
      readers.set(request.reader, (readers.get(request.reader) ?? 0) + length);
      const text = request.texts.pop();
      return text && { request, text };
    },
    overflow: (maximum) => {
      const removed: Request[] = [];
      let left = [...requests.values()].reduce((sum, shares) => sum + shares.left, 0);
      while (left > maximum && requests.size > 1) {
        const [largest, shares] = best(([, a], [, b]) => a.left > b.left) ?? [];
        if (largest === undefined || shares === undefined) break;
        remove(largest);
        removed.push(largest);
        left -= shares.left;
      }
      return removed;
    },
    all: () => [...requests.keys()],
  };
}

type Entry<Request> = readonly [Request, Shares];

const nextOf = ({ texts }: Waiting): number => texts.at(-1)?.text.length ?? 0;

function least(shares: Iterable<number>): number {
  const [first = 0, ...others] = shares;
  return Math.min(first, ...others);
}
