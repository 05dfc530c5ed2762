/** Events one by one, and what makes two of them the same. */
import { type EventReader, type Position, type Recorded, type StreamName } from '../core/event-log.js';

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

/** Of their streams the end says all, and an operator may have cut off the beginning. */
const CATEGORIES_OF_ENDS = ['deletions-', 'ids-', 'request-'];

/** Where a stream may begin later in the source: the target counts its revisions from 0. */
export const mayBeginLater = (stream: StreamName): boolean =>
  CATEGORIES_OF_ENDS.some((category) => stream.startsWith(category));

const FACTS = ['id', 'stream', 'revision', 'type', 'data', 'metadata'] as const;
const FACTS_OF_ENDS = FACTS.filter((fact) => fact !== 'revision');

const membersOf = ({ stream }: Recorded) => (mayBeginLater(stream) ? FACTS_OF_ENDS : FACTS);

/** What a migration keeps of an event, on a line. The position is not among it: every log counts its own. */
export function lineOf(event: Recorded): string {
  return JSON.stringify(membersOf(event).map((fact) => event[fact]));
}

/** Empty for the same event. */
export function differingFacts(one: Recorded, other: Recorded): readonly string[] {
  return membersOf(one).filter((fact) => JSON.stringify(one[fact]) !== JSON.stringify(other[fact]));
}

export const nameOf = ({ type, stream, revision }: Recorded): string => `${type} of ${stream} at revision ${revision}`;
