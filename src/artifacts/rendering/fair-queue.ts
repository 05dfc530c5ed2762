/**
 * The queue for the rendering thread. The next text is of the reader with the fewest rendered characters, and of that
 * reader's request with the fewest. Long texts wait for short ones.
 */
import { type TextValue } from '../../trackers/field-types/field-value.js';
import { heap, type Heap } from './heap.js';

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

/** `given` and `left` are in characters. */
interface Entry<Request> {
  readonly request: Request;
  readonly reader: Reader<Request>;
  /** In the order in which they came. */
  readonly nth: number;
  given: number;
  left: number;
}

interface Reader<Request> {
  given: number;
  requests: number;
  /** Those that have a text left. */
  readonly waiting: Heap<Entry<Request>>;
}

export function fairQueue<Request extends Waiting>(): FairQueue<Request> {
  const entries = new Map<Request, Entry<Request>>();
  const turns = readersInTurn<Request>();
  const byLeft = heap<Entry<Request>>((a, b) => b.left - a.left || a.nth - b.nth);
  let [came, left] = [0, 0];

  const give = (entry: Entry<Request>, length: number): void => {
    entry.given += length;
    entry.left -= length;
    entry.reader.given += length;
    left -= length;
    byLeft.place(entry);
    turns.place(entry);
  };
  const remove = (request: Request): void => {
    const entry = entries.get(request);
    if (entry === undefined) return;
    entries.delete(request);
    left -= entry.left;
    byLeft.remove(entry);
    turns.remove(entry);
  };

  return {
    add: (request) => {
      const own = request.texts.reduce((sum, { text }) => sum + text.length, 0);
      const entry = { request, reader: turns.readerOf(request), nth: (came += 1), given: 0, left: own };
      entries.set(request, entry);
      left += own;
      byLeft.place(entry);
      turns.place(entry);
    },
    remove,
    take: (most = Infinity) => {
      const entry = turns.next();
      const text = entry?.request.texts.at(-1);
      if (entry === undefined || text === undefined || text.text.length > most) return undefined;
      entry.request.texts.pop();
      give(entry, text.text.length);
      return { request: entry.request, text };
    },
    overflow: (maximum) => {
      const removed: Request[] = [];
      for (let most = byLeft.least(); most && left > maximum && entries.size > 1; most = byLeft.least()) {
        remove(most.request);
        removed.push(most.request);
      }
      return removed;
    },
    all: () => [...entries.keys()],
  };
}

function readersInTurn<Request extends Waiting>() {
  const readers = new Map<number | null, Reader<Request>>();
  const byGiven = heap<Reader<Request>>((a, b) => a.given - b.given);
  /** Those with a request that has a text left. */
  const waiting = heap<Reader<Request>>(
    (a, b) => a.given - b.given || compareNext(a.waiting.least(), b.waiting.least()),
  );

  const place = (reader: Reader<Request>): void => {
    byGiven.place(reader);
    if (reader.waiting.least() === undefined) waiting.remove(reader);
    else waiting.place(reader);
  };

  return {
    readerOf: ({ reader: id }: Request): Reader<Request> => {
      // A reader who comes anew has no claim to what the others were given before.
      const given = byGiven.least()?.given ?? 0;
      const reader = readers.get(id) ?? { given, requests: 0, waiting: heap(compareNext) };
      readers.set(id, reader);
      reader.requests += 1;
      return reader;
    },
    next: () => waiting.least()?.waiting.least(),
    place: (entry: Entry<Request>): void => {
      if (entry.request.texts.length > 0) entry.reader.waiting.place(entry);
      else entry.reader.waiting.remove(entry);
      place(entry.reader);
    },
    remove: (entry: Entry<Request>): void => {
      const { request, reader } = entry;
      reader.waiting.remove(entry);
      reader.requests -= 1;
      place(reader);
      if (reader.requests > 0) return;
      readers.delete(request.reader);
      byGiven.remove(reader);
    },
  };
}

/** The request that has the fewest characters with its next text comes first; of two alike, the older one. */
function compareNext<Request extends Waiting>(a?: Entry<Request>, b?: Entry<Request>): number {
  return a === undefined || b === undefined ? 0 : nextOf(a) - nextOf(b) || a.nth - b.nth;
}

const nextOf = ({ request: { texts }, given }: Entry<Waiting>): number => given + (texts.at(-1)?.text.length ?? 0);
