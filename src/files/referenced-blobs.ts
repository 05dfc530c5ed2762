/** The blobs that a log names, and whether their bytes are still needed: for copies and checks. */
import { type Blob } from '../core/blob-store.js';
import { type Event, type Recorded, type StreamName } from '../core/event-log.js';
import { type FileEvent } from './file-events.js';

/**
 * Kept: some file needs the bytes. Discarded: only discarded files name them, and they may be removed at any moment.
 * Erased: the log records the erasure for all files that name them.
 */
type Fate = 'kept' | 'discarded' | 'erased';

export interface ReferencedBlob extends Blob {
  /** The streams that name it, one for each file. */
  readonly streams: readonly StreamName[];
  readonly fate: Fate;
}

export interface ReferencedBlobs {
  /** Events in the order of the log. */
  take(event: Recorded): void;
  count(): number;
  /** As of the events so far, in the order in which they were first named. */
  all(): Iterable<ReferencedBlob>;
}

export function referencedBlobs(): ReferencedBlobs {
  const known = new Map<string, Blob & { readonly streams: Set<StreamName> }>();
  const fates = new Map<StreamName, Fate>();
  return {
    take: (event) => {
      const fate = FATES.get(event.type);
      if (fate !== undefined) fates.set(event.stream, fate);
      for (const { digest, size } of blobsIn(event.data)) {
        const blob = known.get(digest) ?? { digest, size, streams: new Set() };
        blob.streams.add(event.stream);
        known.set(digest, blob);
      }
    },
    count: () => known.size,
    all: function* () {
      for (const { digest, size, streams } of known.values()) {
        yield {
          digest,
          size,
          streams: [...streams],
          fate: fateOf([...streams].map((one) => fates.get(one) ?? 'kept')),
        };
      }
    },
  };
}

const FATES: ReadonlyMap<string, Fate> = new Map<FileEvent['type'], Fate>([
  ['FileDiscarded', 'discarded'],
  ['FileErased', 'erased'],
]);

function fateOf(fates: readonly Fate[]): Fate {
  if (fates.includes('kept')) return 'kept';
  return fates.includes('discarded') ? 'discarded' : 'erased';
}

const SHA_256 = /^[0-9a-f]{64}$/;

/** Searches the data of every event: a reference to a blob is a digest beside a size. */
function* blobsIn(data: Event['data']): Generator<Blob> {
  if (isBlob(data)) yield data;
  for (const part of Object.values(data) as readonly unknown[]) {
    if (typeof part === 'object' && part !== null) yield* blobsIn(part);
  }
}

function isBlob(value: object): value is Blob {
  if (!('digest' in value && 'size' in value)) return false;
  return typeof value.digest === 'string' && SHA_256.test(value.digest) && Number.isSafeInteger(value.size);
}
