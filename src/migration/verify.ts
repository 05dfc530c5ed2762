/** Both sides once more, from the start to the end, each by itself. */
import { createHash } from 'node:crypto';
import { type BlobStore } from '../core/blob-store.js';
import { type EventReader, type Position } from '../core/event-log.js';
import { type ReferencedBlob, type ReferencedBlobs } from '../files/referenced-blobs.js';
import { isWhole } from '../files/verified-bytes.js';
import { eventsAfter, lineOf } from './events.js';

export interface LogSummary {
  readonly events: number;
  /** Without those of which the beginning is lost. */
  readonly streams: number;
  /** SHA-256 over a line for each event, in hex. */
  readonly digest: string;
}

/** `upTo` leaves out what has come since. */
export async function summaryOf(
  log: EventReader,
  { upTo, counted }: { readonly upTo?: Position | null; readonly counted?: () => void },
  signal: AbortSignal,
): Promise<LogSummary> {
  const hash = createHash('sha256');
  let [events, streams] = [0, 0];
  for await (const event of eventsAfter(log, null, signal)) {
    if (upTo !== undefined && (upTo === null || event.position > upTo)) break;
    hash.update(lineOf(event)).update('\n');
    events += 1;
    if (event.revision === 0) streams += 1;
    counted?.();
  }
  return { events, streams, digest: hash.digest('hex') };
}

interface FilesSummary {
  readonly blobs: number;
  readonly bytes: number;
  /** SHA-256 over a line for each blob, in hex. */
  readonly digest: string;
}

export interface ComparedFiles {
  /** What the log names and some file needs. */
  readonly source: FilesSummary;
  /** What of it was read from the target, byte for byte. */
  readonly target: FilesSummary;
  readonly lacking: readonly ReferencedBlob[];
}

export async function comparedFiles(
  target: BlobStore,
  named: ReferencedBlobs,
  looked: () => void,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  const [wanted, found] = [tally(), tally()];
  const lacking: ReferencedBlob[] = [];
  for (const blob of named.all()) {
    signal.throwIfAborted();
    if (blob.fate !== 'erased') {
      const whole = await isWhole(blob, target);
      if (whole) found.add(blob);
      if (whole || blob.fate === 'kept') wanted.add(blob);
      if (!whole && blob.fate === 'kept') lacking.push(blob);
    }
    looked();
  }
  return { source: wanted.summary(), target: found.summary(), lacking };
}

function tally() {
  const hash = createHash('sha256');
  let [blobs, bytes] = [0, 0];
  return {
    add: ({ digest, size }: ReferencedBlob): void => {
      hash.update(`${digest} ${size}\n`);
      blobs += 1;
      bytes += size;
    },
    summary: (): FilesSummary => ({ blobs, bytes, digest: hash.digest('hex') }),
  };
}
