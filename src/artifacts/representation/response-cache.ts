/** Answers about artifacts, given again to the same reader as long as what they were made of has not changed. */
import { LRUCache } from 'lru-cache';
import { type Definitions } from '../../definitions/definitions.js';
import { type ReadModels } from '../../core/read-models.js';
import { type Begun } from '../../http/send-json.js';
import { type StillHolds } from './ingredients.js';
import { type Reading } from './load-related.js';

interface Answer<Facts> extends Begun {
  /** What goes into the headers. */
  readonly facts: Facts;
  /** Asked once anything at all has changed. Without it, the answer is made anew then. */
  readonly stillHolds?: StillHolds | undefined;
}

interface Remembered<Facts> {
  readonly answer: Answer<Facts>;
  /** Another one after each change of the user. */
  readonly viewer: Reading['viewer'];
  /** What the service held when the answer was last known to hold. */
  state: string;
}

/** In characters, of all answers of a service together. */
const REMEMBERED_SIZE = 64 * 1024 * 1024;

type Ask<Facts> = (
  question: string,
  reading: Pick<Reading, 'viewer'>,
  make: () => Promise<Answer<Facts>>,
) => Promise<Answer<Facts>>;

type Known = LRUCache<string, Remembered<unknown>>;

const caches = new WeakMap<ReadModels, Known>();

function cacheOf(readModels: ReadModels): Known {
  const known =
    caches.get(readModels) ??
    new LRUCache<string, Remembered<unknown>>({
      maxSize: REMEMBERED_SIZE,
      sizeCalculation: ({ answer }, name) => answer.text.length + name.length,
    });
  caches.set(readModels, known);
  return known;
}

const nameOf = (kind: string, { user }: Reading['viewer'], question: string): string =>
  `${kind} ${user?.id ?? 'anonymous'} ${question}`;

async function holds(earlier: Remembered<unknown>, viewer: Reading['viewer'], state: string): Promise<boolean> {
  if (earlier.viewer !== viewer) return false;
  if (earlier.state === state) return true;
  if ((await earlier.answer.stillHolds?.()) !== true) return false;
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

  return async (question, { viewer }, make) => {
    const state = now();
    if (state === undefined) return make();
    const name = nameOf(kind, viewer, question);
    const earlier = known.get(name);
    if (earlier !== undefined && (await holds(earlier, viewer, state))) return earlier.answer;
    const answer = await make();
    const isKept = answer.rest === null && (answer.stillHolds !== undefined || now() === state);
    if (isKept) known.set(name, { answer, viewer, state });
    return answer;
  };
}
