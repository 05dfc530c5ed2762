/** How a link that is written from its target comes to an end: a fact of its own, apart from both artifacts. */
import { type Decider } from '../../core/decider.js';
import { type Event, type StreamName } from '../../core/event-log.js';
import { type EventTypes } from '../../core/event-types.js';

/**
 * The source had nothing left to write: the link was so already, or the source is gone. Without it the order would stay
 * open, and a later recovery would undo what was done to the link since. Stored for ever: extend, never rename.
 */
export type LinkSettlementEvent = Event<'LinkOrderSettled', { orderId: string }>;

export const linkSettlementEventTypes: EventTypes<LinkSettlementEvent> = { LinkOrderSettled: [] };

export const linkSettlementStream = (orderId: string): StreamName => `linkorder-${orderId}`;

export const linkSettlementDecider: Decider<boolean, { readonly orderId: string }, LinkSettlementEvent> = {
  initialState: false,
  decide: ({ orderId }, isSettled) => (isSettled ? [] : [{ type: 'LinkOrderSettled', data: { orderId } }]),
  evolve: () => true,
};
