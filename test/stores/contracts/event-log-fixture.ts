import { randomUUID } from 'node:crypto';
import {
  type Batch,
  type EventReader,
  type Metadata,
  type NewEvent,
  type Position,
  type Recorded,
  type StreamName,
} from '../../../src/core/event-log.js';

export const metadata: Metadata = { actor: 7, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId: 'c-1' };

export function noted(data: object = { text: 'hello' }, type = 'NoteTaken'): NewEvent {
  return { id: randomUUID(), type, data };
}

export function newStream(): StreamName {
  return `note-${randomUUID()}`;
}

/** What a promise is rejected with; undefined when it is not. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

export async function batchesOf(
  log: EventReader,
  after: Position | null,
  leftOut: readonly string[] = [],
): Promise<readonly Batch[]> {
  const seen: Batch[] = [];
  for await (const batch of log.readAll(after, leftOut)) seen.push(batch);
  return seen;
}

export async function eventsOf(
  log: EventReader,
  streams: readonly StreamName[],
  after: Position | null,
): Promise<readonly Recorded[]> {
  return within(streams, await batchesOf(log, after));
}

/** The first `count` events that a subscription gives of these streams. */
export async function subscribed(
  log: EventReader,
  count: number,
  streams: readonly StreamName[],
  after: Position | null,
): Promise<readonly Recorded[]> {
  const enough = new AbortController();
  const seen: Recorded[] = [];
  for await (const batch of log.subscribe(after, [], enough.signal)) {
    seen.push(...within(streams, [batch]));
    if (seen.length >= count) enough.abort();
  }
  return seen;
}

/** A log may hold what others have written. */
function within(streams: readonly StreamName[], batches: readonly Batch[]): readonly Recorded[] {
  return batches.flatMap(({ events }) => events).filter(({ stream }) => streams.includes(stream));
}
