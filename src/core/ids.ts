/** Ids are handed out in blocks, so that no creation waits for an id of its own. Gaps are fine, reuse never. */
import { randomUUID } from 'node:crypto';
import { type Clock } from './clock.js';
import { serialQueue } from './concurrency/serial-queue.js';
import { fold, type Decider } from './decider.js';
import { type Event, type EventLog, type StreamName } from './event-log.js';
import { type EventTypes } from './event-types.js';
import { handle } from './handle.js';

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
  const sizes = growing(blockSize, clock);
  const reserve = (): Promise<Block> => taken(log, { kind, size: sizes() }, clock);
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

interface TakeBlock {
  readonly kind: string;
  readonly size: number;
}

/** The last id that was handed out. */
const idsDecider: Decider<number, TakeBlock, IdsEvent> = {
  initialState: LAST_BUILT_IN_ID,
  decide: ({ kind, size }, last) => [{ type: 'IdsReserved', data: { kind, from: last + 1, to: last + size } }],
  evolve: (_, { data }) => data.to,
  saysAll: () => true,
};

async function taken(log: EventLog, command: TakeBlock, clock: Clock): Promise<Block> {
  const { state: to } = await handle(log, idsDecider, {
    stream: idsStream(command.kind),
    commandId: randomUUID(),
    isNew: true,
    metadata: { actor: null, at: clock().toISOString() },
    command: () => command,
  });
  return { from: to + 1 - command.size, to };
}

/** All ids of a kind that were handed out are greater than LAST_BUILT_IN_ID, up to this one. */
export async function lastReservedId(log: Pick<EventLog, 'read'>, kind: string): Promise<number> {
  return fold(idsDecider, (await log.read<IdsEvent>(idsStream(kind), { last: 1 })).events);
}
