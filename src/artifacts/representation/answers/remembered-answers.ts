/** The latest answers as texts, and pages that were asked for before them compressed. */
import { LRUCache } from 'lru-cache';
import { cacheSize } from '../../../core/bounds.js';
import { type Parts } from '../../../http/send-json.js';
import { type StillHolds } from '../ingredients.js';
import { type Reading } from '../reading.js';
import { pack, unpack, type Packed } from './packed-texts.js';
import { ownSize, sharedTexts } from './shared-texts.js';

/** Apart from the text, which whoever asks later does not hold in memory. */
export interface Grounds {
  /** Undefined once it was false. */
  stillHolds: StillHolds | undefined;
  readonly size: number;
  /** What the service held when the answer was last known to hold. */
  state: string;
}

interface About<Facts> {
  readonly facts: Facts;
  /** Another one after each change of the user. Weakly: it holds all that is known of the user, which is not counted. */
  readonly viewer: WeakRef<Reading['viewer']>;
  readonly grounds: Grounds;
}

/** Whose text it is the parts of. */
interface WithParts<Facts> extends About<Facts> {
  readonly parts: Parts;
}

interface WithBytes<Facts> extends About<Facts> {
  readonly packed: Packed;
}

export type Remembered<Facts> = WithParts<Facts> | WithBytes<Facts>;

export interface RememberedAnswers<Facts> {
  readonly get: (name: string) => Remembered<Facts> | undefined;
  readonly set: (name: string, answer: WithParts<Facts>) => void;
  /** The parts of what `get` gave. What was compressed is among the latest again. */
  readonly partsOf: (name: string, answer: Remembered<Facts>) => Parts;
}

/** In bytes, of all answers of a service together. Pages share the texts of their artifacts. */
const REMEMBERED_SIZE = cacheSize(64 * 1024 * 1024);
/** In bytes, of those that are compressed. */
const PACKED_SIZE = cacheSize(16 * 1024 * 1024);
/** Of each answer, beside its name and texts. */
const ANSWER_SIZE = 500;
/** In characters. Shorter answers gain little, and the time that longer ones take would be noticed. */
const [SHORTEST_PACKED, LONGEST_PACKED] = [32_768, 524_288];

/** Compressed at once. Others that leave meanwhile are forgotten. */
const MOST_AT_ONCE = 4;

const sizeBeside = ({ grounds }: About<unknown>, name: string): number => ANSWER_SIZE + name.length + grounds.size;

const lengthOf = (parts: Parts): number => parts.reduce((sum, { length }) => sum + length, 0);

export function rememberedAnswers(most = REMEMBERED_SIZE): RememberedAnswers<unknown> {
  const texts = sharedTexts();
  const earlier = new LRUCache<string, WithBytes<unknown>>({
    maxSize: PACKED_SIZE,
    sizeCalculation: (answer, name) => sizeBeside(answer, name) + answer.packed.bytes.length,
  });
  let state = '';
  let underWay = 0;
  const keep = async (name: string, { parts, ...about }: WithParts<unknown>): Promise<void> => {
    const { grounds } = about;
    const mayHold = grounds.state === state || grounds.stillHolds !== undefined;
    const length = lengthOf(parts);
    if (!mayHold || underWay >= MOST_AT_ONCE || length < SHORTEST_PACKED || length > LONGEST_PACKED) return;
    if (earlier.peek(name)?.grounds === grounds) return;
    underWay += 1;
    try {
      earlier.set(name, { ...about, packed: await pack(parts) });
    } finally {
      underWay -= 1;
    }
  };
  const latest = new LRUCache<string, WithParts<unknown>>({
    maxSize: most,
    sizeCalculation: (answer, name) => sizeBeside(answer, name) + ownSize(answer.parts),
    dispose: (answer, name, reason) => {
      texts.release(answer.parts);
      // Without memory to compress it in, it is made anew.
      if (reason === 'evict') keep(name, answer).catch(() => undefined);
    },
  });
  const set = (name: string, answer: WithParts<unknown>): void => {
    const parts = texts.hold(answer.parts);
    latest.set(name, { ...answer, parts });
    // What is too large for itself is not taken.
    if (latest.peek(name)?.parts !== parts) texts.release(parts);
    while (latest.size > 0 && latest.calculatedSize + texts.size() > most) latest.pop();
  };
  return {
    get: (name) => latest.get(name) ?? earlier.get(name),
    set: (name, answer) => {
      state = answer.grounds.state;
      set(name, answer);
    },
    partsOf: (name, answer) => {
      if ('parts' in answer) return answer.parts;
      const { packed, ...about } = answer;
      const parts = [unpack(packed)];
      set(name, { ...about, parts });
      return parts;
    },
  };
}
