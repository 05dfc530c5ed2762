/** Data and metadata of events on their way into a log and out of it: JSON objects, and nothing else. */
import { type Metadata, type EventHeader, type Recorded, UnreadableEvent } from '../../core/event-log.js';

export function jsonOf(value: object): string {
  // Undefined for a function, even if the type says otherwise.
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined || !json.startsWith('{')) {
    throw new TypeError('An event has data or metadata that JSON cannot express as an object');
  }
  return json;
}

/** Data and metadata are what parsing has made of them. Throws UnreadableEvent. */
export function recordedAt(at: EventHeader, data: unknown, metadata: unknown): Recorded {
  if (!isObject(data)) throw new UnreadableEvent(at, 'its data is no JSON object');
  if (!isObject(metadata)) throw new UnreadableEvent(at, 'its metadata is no JSON object');
  const { id, type, stream, revision, position } = at;
  return { id, type, stream, revision, position, data, metadata: metadata as Metadata };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
