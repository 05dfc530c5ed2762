// What the protocol double of EventStoreDB remembers. It proves nothing about the real server.
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';

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
  /** All that were ever written, in the order of the whole log. */
  readonly entries: readonly Entry[];
  readonly isScavenged: (entry: Entry) => boolean;
  /** What can be read of a stream. */
  readonly of: (stream: string) => readonly Entry[];
  /** Missing: never written to, or deleted. One that is there may show nothing. */
  readonly stateOf: (stream: string) => 'there' | 'missing' | 'tombstoned';
  /** Whether the log ends before this place, or has a record there. */
  readonly isReadable: (place: Place) => boolean;
  readonly append: (stream: string, expected: Expected, proposals: readonly Proposal[]) => Outcome;
  /** Resolves when there are more entries than that. */
  readonly beyond: (count: number, signal: AbortSignal) => Promise<void>;
  /** As `$tb` in the metadata of a stream, or what `$maxAge` and `$maxCount` come to: readers get nothing before it. */
  readonly truncate: (stream: string, before: number) => void;
  /** A later append makes the stream again, and counts on. */
  readonly delete: (stream: string) => void;
  /** For ever. */
  readonly tombstone: (stream: string) => void;
  /** Takes out of the whole log what cannot be read of its stream. */
  readonly scavenge: () => void;
  /** As a server that was restored from an older copy: what came after so many entries has never been. */
  readonly restore: (count: number) => void;
}

/** What the server writes as the least revision that can be read, where a stream was deleted. */
const DELETED = Number(2n ** 63n - 1n);

/** The type of the record that tells it. Everybody who reads the whole log gets it. */
const TOMBSTONE = '$streamDeleted';

export function doubleLog({ start, commitsApart }: Placing = FRESH): DoubleLog {
  const entries: Entry[] = [];
  const streams = new Map<string, Entry[]>();
  /** The least revision of each that can be read; DELETED for none. */
  const truncated = new Map<string, number>();
  const tombstones = new Set<string>();
  const scavenged = new Set<Entry>();
  const records = new Set<bigint>();
  const waiting = new Set<() => void>();
  let free = start;
  /** Where the next record began after each entry. */
  const ends: bigint[] = [];
  // As in a file: the next record begins where this one ends.
  const record = (bytes: number): bigint => {
    const at = free;
    records.add(at);
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
      ends.push(free);
    }
    if (truncated.get(stream) === DELETED) truncate(stream, list.length - proposals.length);
    for (const wake of waiting) wake();
    return list.at(-1)!;
  };

  const truncate = (stream: string, before: number): void => {
    truncated.set(stream, before);
    const data = json(`{"$tb":${before === DELETED ? 2n ** 63n - 1n : before}}`);
    const type = '$metadata';
    write(`$$${stream}`, [{ id: randomUUID(), type, contentType: 'application/json', data, metadata: json({}) }]);
  };
  const isShown = ({ stream, revision }: Entry): boolean =>
    !tombstones.has(stream) && revision >= (truncated.get(stream) ?? 0);

  return {
    entries,
    isScavenged: (entry) => scavenged.has(entry),
    of: (stream) => (streams.get(stream) ?? []).filter(isShown),
    stateOf: (stream) => {
      if (tombstones.has(stream)) return 'tombstoned';
      return streams.has(stream) && truncated.get(stream) !== DELETED ? 'there' : 'missing';
    },
    isReadable: ({ commit }) => commit >= free || records.has(commit),
    append: (stream, expected, proposals) => {
      const list = streams.get(stream) ?? [];
      const actual = list.length - 1;
      const isNew = expected === -1 && truncated.get(stream) === DELETED;
      if (expected === 'any' || expected === actual || isNew) return { last: write(stream, proposals) };
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
    truncate,
    delete: (stream) => {
      truncate(stream, DELETED);
    },
    tombstone: (stream) => {
      tombstones.add(stream);
      const nothing = Buffer.alloc(0);
      const contentType = 'application/octet-stream';
      const record = { id: randomUUID(), type: TOMBSTONE, contentType, data: nothing, metadata: nothing };
      Object.assign(write(stream, [record]), { revision: DELETED });
    },
    scavenge: () => {
      for (const entry of entries) if (!isShown(entry) && entry.type !== TOMBSTONE) scavenged.add(entry);
    },
    restore: (count) => {
      for (const { stream } of entries.splice(count)) streams.get(stream)?.pop();
      ends.splice(count);
      free = ends.at(-1) ?? start;
      for (const at of records) if (at >= free) records.delete(at);
    },
  };
}

export function isBefore(one: Place, other: Place): boolean {
  return one.commit === other.commit ? one.prepare < other.prepare : one.commit < other.commit;
}

export function json(value: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
}
