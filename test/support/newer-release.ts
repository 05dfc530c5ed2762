/** What a newer release might leave in the log: events of types that this release does not know. */
import { randomUUID } from 'node:crypto';
import { type Event, type EventLog, type Position, type StreamName } from '../../src/core/event-log.js';

/** Appends to the end of a stream, whatever stands there. */
export async function appendNewer(
  log: EventLog,
  stream: StreamName,
  event: Event = { type: 'WrittenByANewerRelease', data: {} },
): Promise<Position> {
  const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
  const append = async (expected: number): Promise<Position> =>
    (await log.append(stream, expected, [{ ...event, id: randomUUID() }], metadata)).position;
  return append(-1).catch(async (conflict: unknown) => {
    if (!(conflict instanceof Error && 'actual' in conflict)) throw conflict;
    return append(Number(conflict.actual));
  });
}
