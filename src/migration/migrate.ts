/** Copies a log and the bytes of its files from one kind of stores to another. */
import { type BlobStore, type Digest } from '../core/blob-store.js';
import { type EventLog, type EventReader, type Position, type Recorded } from '../core/event-log.js';
import { type ReferencedBlob, referencedBlobs, type ReferencedBlobs } from '../files/referenced-blobs.js';
import { compared } from './compare.js';
import { copyEvents, type PositionRange } from './copy-events.js';
import { copyFiles } from './copy-files.js';
import { eventsAfter } from './events.js';
import { comparedFiles, type ComparedFiles, type LogSummary, summaryOf } from './verify.js';

export interface Source {
  readonly log: EventReader;
  readonly blobs: BlobStore;
}

export interface Target {
  readonly log: EventLog;
  readonly blobs: BlobStore;
  /**
   * Called before anything is written, with the id of the first event that the log is going to have. No service may use
   * the target from then on, nor believe what was projected from another log.
   */
  readonly begin: (firstEvent: string) => Promise<void>;
  /** The target holds the whole log: a service may use it. */
  readonly complete: () => Promise<void>;
}

export type Stage = 'comparing' | 'copying files' | 'copying events' | 'verifying events' | 'verifying files';

export type Notice =
  /** `done`: events or files; `share`: from 0 to 1. */
  | { readonly type: 'progress'; readonly stage: Stage; readonly done: number; readonly share: number }
  /** The source has no bytes, or others, under a digest that some file needs. */
  | { readonly type: 'lacking'; readonly blob: ReferencedBlob }
  /** The source has gone on meanwhile, by so many events, which are copied next. */
  | { readonly type: 'grown'; readonly events: number };

export interface Migration {
  readonly from: Source;
  readonly to: Target;
  readonly report: (notice: Notice) => void;
  readonly signal?: AbortSignal;
}

export interface MigrationResult {
  readonly log: { readonly source: LogSummary; readonly target: LogSummary };
  readonly files: ComparedFiles;
  /** Without what stood in the target before. */
  readonly copied: { readonly events: number; readonly files: number };
  /** Both sides hold the same, and no bytes are lacking. */
  readonly equal: boolean;
  /** The source was written to during the copy: the last events may be missing. */
  readonly grown: boolean;
}

interface Running extends Required<Migration> {
  readonly named: ReferencedBlobs;
  /** What the target is known to hold. */
  readonly there: Set<Digest>;
  /** What has been reported. */
  readonly lacking: Set<Digest>;
  readonly copied: { events: number; files: number };
}

interface Surveyed extends PositionRange {
  /** How many are in it. */
  readonly events: number;
}

/** So near to a source that goes on that another round would be no nearer. */
const CLOSE = 500;

/**
 * What stands in the target stays as it is; what was cut short goes on where it was. Rejects with Refused, before
 * anything is written, when the target holds another log. What is not equal in the end is said in the result.
 */
export async function migrate(migration: Migration): Promise<MigrationResult> {
  const { from, signal = new AbortController().signal } = migration;
  const copied = { events: 0, files: 0 };
  const running: Running = {
    ...migration,
    signal,
    named: referencedBlobs(),
    there: new Set(),
    lacking: new Set(),
    copied,
  };
  const before = await from.log.end();
  const { upTo, events } = await copyAll(running, before);
  const log = await verifiedLogs(running, upTo, events);
  const files = await verifiedFiles(running);
  const grown = before !== (await from.log.end());
  const isWholeLog = log.source.digest === log.target.digest;
  // Bytes that the source has lost keep no service from it either.
  if (isWholeLog && !grown) await migration.to.complete();
  const equal = isWholeLog && isEqual(files);
  return { log, files, copied, equal, grown };
}

const isEqual = ({ source, target, lacking }: ComparedFiles): boolean =>
  JSON.stringify(source) === JSON.stringify(target) && lacking.length === 0;

/** Resolves to all that was copied, or stood there. */
async function copyAll(running: Running, end: Position | null): Promise<Omit<Surveyed, 'after'>> {
  const { from, to, report } = running;
  const first = await compare(running, end);
  await to.begin(first.firstEvent);
  let stretch: Surveyed = { after: first.after, upTo: first.end, events: first.events - first.existing };
  let { events } = first;
  for (let isClose = false; ;) {
    await copyStretch(running, stretch);
    if (isClose || stretch.upTo === (await from.log.end())) return { upTo: stretch.upTo, events };
    stretch = await surveyed(running, stretch.upTo);
    events += stretch.events;
    isClose = stretch.events < CLOSE;
    report({ type: 'grown', events: stretch.events });
  }
}

async function compare({ from, to, named, report, signal }: Running, end: Position | null) {
  let done = 0;
  const seen = (event: Recorded): void => {
    named.take(event);
    done += 1;
    report({
      type: 'progress',
      stage: 'comparing',
      done,
      share: from.log.fractionAt(event.position, end ?? event.position),
    });
  };
  return compared(from.log, to.log, seen, signal);
}

/** What has come since. */
async function surveyed({ from, named, signal }: Running, after: Position | null): Promise<Surveyed> {
  let [upTo, events] = [after, 0];
  for await (const event of eventsAfter(from.log, after, signal)) {
    named.take(event);
    upTo = event.position;
    events += 1;
  }
  return { after, upTo, events };
}

/** The bytes first: an event names only what is there. */
async function copyStretch(running: Running, stretch: Surveyed): Promise<void> {
  const { from, to, named, there, lacking, copied, report, signal } = running;
  const files = { source: from.blobs, target: to.blobs, named, there };
  const isLacking = (blob: ReferencedBlob): void => {
    if (lacking.has(blob.digest)) return;
    lacking.add(blob.digest);
    report({ type: 'lacking', blob });
  };
  copied.files += await copyFiles(files, isLacking, counting(running, 'copying files', named.count()), signal);
  const step = counting(running, 'copying events', stretch.events);
  const copiedOne = (): void => {
    copied.events += 1;
    step();
  };
  await copyEvents(from.log, to.log, stretch, copiedOne, signal);
}

async function verifiedLogs({ from, to, ...running }: Running, upTo: Position | null, events: number) {
  const counted = counting(running, 'verifying events', events);
  const [source, target] = await Promise.all([
    summaryOf(from.log, { upTo, counted }, running.signal),
    summaryOf(to.log, {}, running.signal),
  ]);
  return { source, target };
}

function verifiedFiles(running: Running): Promise<ComparedFiles> {
  const { to, named, signal } = running;
  return comparedFiles(to.blobs, named, counting(running, 'verifying files', named.count()), signal);
}

/** A function to call once for each of `total`. */
function counting({ report }: Pick<Running, 'report'>, stage: Stage, total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    report({ type: 'progress', stage, done, share: Math.min(1, done / total) });
  };
}
