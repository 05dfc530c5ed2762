import { createHash } from 'node:crypto';
import { type Event, type NewEvent, type StreamName } from './event-log.js';

/**
 * A name-based UUID (RFC 9562, version 8): the same command gives the same ids, so that an append whose outcome
 * was lost can be repeated.
 */
export function eventId(commandId: string, stream: StreamName, index: number): string {
  const hex = createHash('sha256').update(`${commandId}\n${stream}\n${index}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function withIds<E extends Event>(
  stream: StreamName,
  commandId: string,
  events: readonly E[],
): readonly NewEvent<E>[] {
  return events.map((event, index) => ({ ...event, id: eventId(commandId, stream, index) }));
}
