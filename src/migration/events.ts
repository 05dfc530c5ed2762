/** Events one by one, and what makes two of them the same. */
import { type EventReader, type Position, type Recorded } from '../core/event-log.js';

/** Everything after a position. Throws once the signal aborts, so that what was cut short is not taken for the whole. */
export async function* eventsAfter(
  log: EventReader,
  after: Position | null,
  signal: AbortSignal,
): AsyncGenerator<Recorded, void, void> {
  for await (const { events } of log.readAll(after, [], signal)) {
    signal.throwIfAborted();
    yield* events;
  }
  signal.throwIfAborted();
}

/** What a migration keeps of an event, on a line. The position is not among it: every log counts its own. */
export function lineOf({ id, stream, revision, type, data, metadata }: Recorded): string {
  return JSON.stringify([id, stream, revision, type, data, metadata]);
}

const FACTS = ['id', 'stream', 'revision', 'type', 'data', 'metadata'] as const;

/** Empty for the same event. */
export function differingFacts(one: Recorded, other: Recorded): readonly string[] {
  return FACTS.filter((fact) => JSON.stringify(one[fact]) !== JSON.stringify(other[fact]));
}

export const nameOf = ({ type, stream, revision }: Recorded): string => `${type} of ${stream} at revision ${revision}`;
