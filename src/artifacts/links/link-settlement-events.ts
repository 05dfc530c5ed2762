import { type Event, type StreamName } from '../../core/event-log.js';
import { type EventTypes } from '../../core/event-types.js';

/**
 * The source had nothing left to write: the link was so already, or the source is gone. Without it the order would stay
 * open, and a later recovery would undo what was done to the link since. Stored for ever: extend, never rename.
 */
export type LinkSettlementEvent = Event<'LinkOrderSettled', { orderId: string }>;

export const linkSettlementEventTypes: EventTypes<LinkSettlementEvent> = { LinkOrderSettled: [] };

export const linkSettlementStream = (orderId: string): StreamName => `linkorder-${orderId}`;
