import { jsonBytes, MAX_EVENT_BYTES } from '../bounds.js';
import { type Event, type EventLog, type Metadata } from '../event-log.js';
import { Problem } from '../problem.js';

/**
 * The log as commands write it, with one bound on whatever store: it is far enough below what servers take. Whoever
 * copies a log writes without it, because an older log may hold larger events.
 */
export function boundedLog(log: EventLog): EventLog {
  return {
    ...log,
    append: async (stream, expected, events, metadata) => {
      refuseOversized(events, metadata);
      return log.append(stream, expected, events, metadata);
    },
  };
}

/** Throws when the events are too much for one append. `room`: bytes that are kept free for what they still lack. */
export function refuseOversized(events: readonly Event[], metadata: Metadata, room = 0): void {
  const bytes = storedBytes(events, metadata);
  const most = MAX_EVENT_BYTES - room;
  if (bytes > most)
    throw new Problem('too-large', `One change takes ${most} bytes at most as it is stored, not ${bytes}`);
}

/** Each event is stored with the metadata. */
export function storedBytes(events: readonly Event[], metadata: Metadata): number {
  const facts = jsonBytes(metadata);
  return events.reduce((sum, { data }) => sum + jsonBytes(data) + facts, 0);
}
