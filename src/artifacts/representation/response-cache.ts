/** Answers about artifacts, given again to the same reader as long as what they were made of has not changed. */
import { LRUCache } from 'lru-cache';
import { type Definitions } from '../../definitions/definitions.js';
import { type ReadModels } from '../../core/read-models.js';
import { sizeOf, type Begun } from '../../http/send-json.js';
import { type StillHolds } from './ingredients.js';
import { type Reading } from './load-related.js';

interface Made<Facts> extends Begun {
  /** What goes into the headers. */
  readonly facts: Facts;
  /** Asked once anything at all has changed. Without it, the answer is made anew then. */
  readonly stillHolds?: StillHolds | undefined;
}

export interface Answer<Facts> extends Begun {
  readonly facts: Facts;
  /** Whether the reader, who is the same, would be answered the same now. Undefined if the answer is not remembered. */
  readonly stillHolds?: (() => boolean | Promise<boolean>) | undefined;
}

/** Apart from the text, which whoever asks later does not hold in memory. */
interface Grounds {
  readonly stillHolds: StillHolds | undefined;
  /** What the service held when the answer was last known to hold. */
  state: string;
}

interface Remembered<Facts> extends Begun {
  readonly facts: Facts;
  /** Another one after each change of the user. */
  readonly viewer: Reading['viewer'];
  readonly grounds: Grounds;
}

/** In characters, of all answers of a service together. */
const REMEMBERED_SIZE = 64 * 1024 * 1024;

type Ask<Facts> = (
  question: string,
  reading: Pick<Reading, 'viewer'>,
  make: () => Promise<Made<Facts>>,
) => Promise<Answer<Facts>>;

type Known = LRUCache<string, Remembered<unknown>>;

const caches = new WeakMap<ReadModels, Known>();

function cacheOf(readModels: ReadModels): Known {
  const known =
    caches.get(readModels) ??
    new LRUCache<string, Remembered<unknown>>({
      maxSize: REMEMBERED_SIZE,
      sizeCalculation: ({ parts }, name) => sizeOf(parts) + name.length,
    });
  caches.set(readModels, known);
  return known;
}

const nameOf = (kind: string, { user }: Reading['viewer'], question: string): string =>
  `${kind} ${user?.id ?? 'anonymous'} ${question}`;

function holds(earlier: Grounds, state: string | undefined): boolean | Promise<boolean> {
  if (state === undefined) return false;
  return earlier.state === state || holdsAnew(earlier, state);
}

/** A function of its own: it would hold in memory all that the functions beside it do. */
const holding = (grounds: Grounds, now: () => string | undefined) => (): boolean | Promise<boolean> =>
  holds(grounds, now());

async function holdsAnew(earlier: Grounds, state: string): Promise<boolean> {
  if ((await earlier.stillHolds?.()) !== true) return false;
  earlier.state = state;
  return true;
}

/**
 * `question` holds all that the answer depends on, apart from reader, documents and definitions, and `kind` what has
 * questions of its own. Refusals and unfinished answers are not cached. Without a `state` of the read models, nothing is
 * cached.
 */
export function responseCache<Facts>(
  kind: string,
  { readModels, definitions }: { readonly readModels: ReadModels; readonly definitions: Definitions },
): Ask<Facts> {
  const known = cacheOf(readModels) as LRUCache<string, Remembered<Facts>>;
  const now = (): string | undefined => {
    const state = readModels.state?.();
    return state === undefined ? undefined : `${state} ${definitions.generation}`;
  };

  const given = ({ parts, rest, facts, grounds }: Remembered<Facts>): Answer<Facts> => ({
    parts,
    rest,
    facts,
    stillHolds: holding(grounds, now),
  });

  return async (question, { viewer }, make) => {
    const state = now();
    if (state === undefined) return { ...(await make()), stillHolds: undefined };
    const name = nameOf(kind, viewer, question);
    const earlier = known.get(name);
    if (earlier?.viewer === viewer && (await holds(earlier.grounds, state))) return given(earlier);
    const { stillHolds, ...made } = await make();
    // What came and went meanwhile would leave no trace in what `stillHolds` compares.
    const isKept = made.rest === null && now() === state;
    if (!isKept) return { ...made, stillHolds: undefined };
    const remembered = { ...made, viewer, grounds: { stillHolds, state } };
    known.set(name, remembered);
    return given(remembered);
  };
}
