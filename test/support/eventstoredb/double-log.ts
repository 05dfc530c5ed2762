// What the protocol double of EventStoreDB remembers. It proves nothing about the real server.
import { Buffer } from 'node:buffer';

export interface Proposal {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** Of two places in the log, the later one has the greater commit or, where that is the same, the greater prepare. */
export interface Place {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export interface Entry extends Proposal {
  readonly stream: string;
  readonly revision: number;
  readonly position: Place;
}

/** Where events come to stand. */
export interface Placing {
  readonly start: bigint;
  /** The events of an append share one commit, which comes after them all, as those of a transaction do. */
  readonly commitsApart: boolean;
}

const FRESH: Placing = { start: 0n, commitsApart: false };

export type Expected = number | 'any';

export type Outcome = { readonly last: Entry } | { readonly actual: number };

export interface DoubleLog {
  /** In the order of the whole log. */
  readonly entries: readonly Entry[];
  readonly of: (stream: string) => readonly Entry[];
  readonly append: (stream: string, expected: Expected, proposals: readonly Proposal[]) => Outcome;
  /** Resolves when there are more entries than that. */
  readonly beyond: (count: number, signal: AbortSignal) => Promise<void>;
}

export function doubleLog({ start, commitsApart }: Placing = FRESH): DoubleLog {
  const entries: Entry[] = [];
  const streams = new Map<string, Entry[]>();
  const waiting = new Set<() => void>();
  let free = start;
  // As in a file: the next record begins where this one ends.
  const record = (bytes: number): bigint => {
    const at = free;
    free += BigInt(60 + bytes);
    return at;
  };

  const write = (stream: string, proposals: readonly Proposal[]): Entry => {
    const list = streams.get(stream) ?? [];
    streams.set(stream, list);
    const prepares = proposals.map(({ data }) => record(data.length));
    const commit = commitsApart ? record(0) : undefined;
    for (const [index, proposal] of proposals.entries()) {
      const prepare = prepares[index]!;
      const entry = { ...proposal, stream, revision: list.length, position: { commit: commit ?? prepare, prepare } };
      list.push(entry);
      entries.push(entry);
    }
    for (const wake of waiting) wake();
    return list.at(-1)!;
  };

  return {
    entries,
    of: (stream) => streams.get(stream) ?? [],
    append: (stream, expected, proposals) => {
      const list = streams.get(stream) ?? [];
      const actual = list.length - 1;
      if (expected === 'any' || expected === actual) return { last: write(stream, proposals) };
      const there = list.slice(expected + 1, expected + 1 + proposals.length);
      const repeated = there.length > 0 && proposals.every(({ id }, n) => there[n]?.id === id);
      // A batch of which only a part stands there is a conflict too.
      return repeated ? { last: there.at(-1)! } : { actual };
    },
    beyond: (count, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        if (signal.aborted || entries.length > count) {
          resolve();
          return;
        }
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      }),
  };
}

export function isBefore(one: Place, other: Place): boolean {
  return one.commit === other.commit ? one.prepare < other.prepare : one.commit < other.commit;
}

export function json(value: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
}
