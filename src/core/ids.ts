/** Ids are handed out in blocks, so that no creation waits for an id of its own. Gaps are fine, reuse never. */
import { randomUUID } from 'node:crypto';
import { type Clock } from './clock.js';
import { retryUntil } from './concurrency/retry.js';
import { serialQueue } from './concurrency/serial-queue.js';
import { eventId } from './event-id.js';
import { RevisionConflict, type Event, type EventLog, type Revision, type StreamName } from './event-log.js';
import { type EventTypes } from './event-types.js';
import { Problem } from './problem.js';

/** Both ends belong to the block. Stored for ever: extend, never rename. */
export type IdsEvent = Event<'IdsReserved', { kind: string; from: number; to: number }>;

export const idsEventTypes: EventTypes<IdsEvent> = { IdsReserved: [] };

export interface IdAllocator {
  /** In the order of the calls, growing. */
  next(): Promise<number>;
}

export interface AllocatorOptions {
  readonly clock: Clock;
  readonly blockSize?: number;
}

/** 100 means None in a list, 1 to 99 are the groups that every platform has. */
export const LAST_BUILT_IN_ID = 100;
const BLOCK_SIZE = 100;

interface Block {
  readonly from: number;
  readonly to: number;
}

export const idsStream = (kind: string): StreamName => `ids-${kind}`;

/** Touches the log only once the first id is asked for. */
export function idAllocator(
  log: EventLog,
  kind: string,
  { clock, blockSize = BLOCK_SIZE }: AllocatorOptions,
): IdAllocator {
  const reserve = blockReserver(log, kind, growing(blockSize, clock), clock);
  let block: Block = { from: 1, to: 0 };
  let half = 0;
  let ahead: Promise<Block> | null = null;
  const enqueue = serialQueue();

  const fetchAhead = (): Promise<Block> => {
    const fetching = reserve();
    // The caller that needs the block gets the failure; the next caller tries again.
    fetching.catch(() => {
      ahead = null;
    });
    return fetching;
  };

  const take = async (): Promise<number> => {
    if (block.from > block.to) {
      block = await (ahead ?? reserve());
      ahead = null;
      half = (block.to + 1 - block.from) / 2;
    }
    const id = block.from;
    block = { ...block, from: id + 1 };
    if (block.to - id <= half) ahead ??= fetchAhead();
    return id;
  };

  return { next: () => enqueue(take) };
}

/** A block that lasts less than this makes creations wait for the next one. */
const TOO_SHORT_MS = 1000;
const MOST_GROWTH = 16;

/** Sizes of the blocks to come: twice the one before while ids are used up fast, else as small as they may be. */
function growing(blockSize: number, clock: Clock): () => number {
  let size = blockSize;
  let last = -Infinity;
  return () => {
    const now = clock().getTime();
    size = now - last < TOO_SHORT_MS ? Math.min(size * 2, blockSize * MOST_GROWTH) : blockSize;
    last = now;
    return size;
  };
}

/** Of a block that others take first. */
const PATIENCE = { patienceMs: 5000, fewestTries: 3 };

/** Remembers the end of the stream, so that it is read again only when another process has taken a block. */
function blockReserver(log: EventLog, kind: string, sizes: () => number, clock: Clock): () => Promise<Block> {
  let end: { readonly revision: Revision; readonly last: number } | null = null;

  const attempt = async (size: number): Promise<Block | null> => {
    end ??= await endOf(log, kind);
    const block = { from: end.last + 1, to: end.last + size };
    const revision = await appendBlock(log, { kind, ...block }, end.revision, clock);
    end = revision === null ? null : { revision, last: block.to };
    return end === null ? null : block;
  };
  return async () => {
    const size = sizes();
    const block = await retryUntil(() => attempt(size), PATIENCE);
    if (block !== null) return block;
    throw new Problem('unavailable', `Ids of ${kind} are in contention; retry later`, { retryAfter: 1 });
  };
}

/** All ids of a kind that were handed out are greater than LAST_BUILT_IN_ID, up to this one. */
export async function lastReservedId(log: Pick<EventLog, 'read'>, kind: string): Promise<number> {
  return (await endOf(log, kind)).last;
}

async function endOf(log: Pick<EventLog, 'read'>, kind: string): Promise<{ revision: Revision; last: number }> {
  const { events, revision } = await log.read<IdsEvent>(idsStream(kind), { last: 1 });
  return { revision, last: events.at(-1)?.data.to ?? LAST_BUILT_IN_ID };
}

/** Null when another process took the block first. */
async function appendBlock(
  log: EventLog,
  data: IdsEvent['data'],
  expected: Revision,
  clock: Clock,
): Promise<Revision | null> {
  const stream = idsStream(data.kind);
  const commandId = randomUUID();
  const event = { type: 'IdsReserved', data, id: eventId(commandId, stream, 0) };
  const metadata = { actor: null, at: clock().toISOString(), schema: 1, commandId };
  try {
    return (await log.append(stream, expected, [event], metadata)).revision;
  } catch (error) {
    if (error instanceof RevisionConflict) return null;
    throw error;
  }
}
