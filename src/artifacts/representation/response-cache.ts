/** Answers about artifacts, given again to the same reader as long as nothing at all has changed. */
import { LRUCache } from 'lru-cache';
import { type Definitions } from '../../definitions/definitions.js';
import { type ReadModels } from '../../core/read-models.js';
import { type Begun } from '../../http/send-json.js';
import { type Reading } from './load-related.js';

interface Answer<Facts> extends Begun {
  /** What goes into the headers. */
  readonly facts: Facts;
}

interface Remembered<Facts> extends Answer<Facts> {
  /** What the service held when it was made. */
  readonly state: string;
}

/** In characters. */
const REMEMBERED_SIZE = 16 * 1024 * 1024;

type Ask<Facts> = (
  question: string,
  reading: Pick<Reading, 'viewer'>,
  make: () => Promise<Answer<Facts>>,
) => Promise<Answer<Facts>>;

/**
 * `question` holds all that the answer depends on, apart from reader, documents and definitions. Refusals and
 * unfinished answers are not cached. Without a `state` of the read models, nothing is cached.
 */
export function responseCache<Facts>({
  readModels,
  definitions,
}: {
  readonly readModels: ReadModels;
  readonly definitions: Definitions;
}): Ask<Facts> {
  const known = new LRUCache<string, Remembered<Facts>>({
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: ({ text }, name) => text.length + name.length,
  });
  const now = (): string | undefined => {
    const state = readModels.state?.();
    return state === undefined ? undefined : `${state} ${definitions.generation}`;
  };

  return async (question, { viewer }, make) => {
    const state = now();
    if (state === undefined) return make();
    const name = `${viewer.user?.id ?? 'anonymous'} ${question}`;
    const earlier = known.get(name);
    if (earlier?.state === state) return earlier;
    const answer = await make();
    if (now() === state && answer.rest === null) known.set(name, { ...answer, state });
    return answer;
  };
}
