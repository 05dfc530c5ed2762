import { createHash } from 'node:crypto';
import { type Event, type StreamName } from '../../core/event-log.js';
import { type EventTypes } from '../../core/event-types.js';

/**
 * Stored for ever: extend, never rename. `digest` is the SHA-256 of the body, keys sorted, in hex. `uses`: how often the
 * key was used up, this time included; earlier releases left it out.
 */
export type RequestEvent = Event<'RequestAccepted', { artifactId: number; digest: string; at: string; uses?: number }>;

export const requestEventTypes: EventTypes<RequestEvent> = { RequestAccepted: [] };

export const requestStream = (userId: number, key: string): StreamName =>
  `request-${userId}.${createHash('sha256').update(key).digest('hex')}`;
