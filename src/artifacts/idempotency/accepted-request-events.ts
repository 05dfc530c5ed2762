import { createHash } from 'node:crypto';
import { type Event, type StreamName } from '../../core/event-log.js';
import { type EventTypes } from '../../core/event-types.js';

/** Stored for ever: extend, never rename. `digest` is the SHA-256 of the body, keys sorted, in hex. */
export type RequestEvent = Event<'RequestAccepted', { artifactId: number; digest: string; at: string }>;

export const requestEventTypes: EventTypes<RequestEvent> = { RequestAccepted: [] };

export const requestStream = (userId: number, key: string): StreamName =>
  `request-${userId}.${createHash('sha256').update(key).digest('hex')}`;
