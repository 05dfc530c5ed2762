import { jsonBytes, MAX_EVENT_BYTES } from '../bounds.js';
import { type Event, type EventLog, type Metadata } from '../event-log.js';
import { Problem } from '../problem.js';

/**
 * The log as commands write it, with one bound for all stores, below the limits of the servers. The migration writes
 * without it, because an older log may hold larger events.
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

/** Throws when the events are too much for one append. */
export function refuseOversized(events: readonly Event[], metadata: Metadata): void {
  const bytes = storedBytes(events, metadata);
  if (bytes <= MAX_EVENT_BYTES) return;
  throw new Problem('too-large', `The change has ${bytes} bytes as it is stored; the limit is ${MAX_EVENT_BYTES}`);
}

/** Each event is stored with the metadata. */
export function storedBytes(events: readonly Event[], metadata: Metadata): number {
  const facts = jsonBytes(metadata);
  return events.reduce((sum, { data }) => sum + jsonBytes(data) + facts, 0);
}
