/** A value of JSON in small parts: a thread that serves requests makes or reads one at a time. */
import { heapSize } from '../core/bounds.js';

export interface ValuePart {
  /** Members from the outside to the place of the part; the whole value has none. */
  readonly at: readonly string[];
  /** Empty where further parts fill it. */
  readonly value: unknown;
}

/** Of the heap, about: so much is JSON within some milliseconds. */
const PART_SIZE = 262_144;

export function* partsOf(value: unknown, at: readonly string[] = []): Generator<ValuePart, void, void> {
  if (typeof value !== 'object' || value === null || heapSize(value, PART_SIZE) <= PART_SIZE) {
    yield { at, value };
    return;
  }
  yield { at, value: Array.isArray(value) ? [] : {} };
  for (const [member, inner] of Object.entries(value)) yield* partsOf(inner, [...at, member]);
}

type Holder = Record<string, unknown>;

function memberOf(outer: Holder, member: string): Holder {
  if (!Object.hasOwn(outer, member)) throw new Error(`A part has no place: ${member}`);
  return outer[member] as Holder;
}

/** Takes parts in their order; `whole` is what they have come to. */
interface JoinedParts {
  readonly add: (part: ValuePart) => void;
  readonly isEmpty: () => boolean;
  readonly whole: () => unknown;
}

export function joinedParts(): JoinedParts {
  const root: Holder = {};
  return {
    add: ({ at, value }) => {
      const path = ['whole', ...at];
      const holder = path.slice(0, -1).reduce(memberOf, root);
      // Not by assignment: `__proto__` is the name of a member as any other.
      const own = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(holder, path.at(-1) ?? '', own);
    },
    isEmpty: () => !('whole' in root),
    whole: () => root['whole'],
  };
}
