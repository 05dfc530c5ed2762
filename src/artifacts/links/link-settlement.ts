/** How a link that is written from its target comes to an end: a fact of its own, apart from both artifacts. */
import { type Decider } from '../../core/decider.js';
import { type LinkSettlementEvent } from './link-settlement-events.js';

export const linkSettlementDecider: Decider<boolean, { readonly orderId: string }, LinkSettlementEvent> = {
  initialState: false,
  decide: ({ orderId }, isSettled) => (isSettled ? [] : [{ type: 'LinkOrderSettled', data: { orderId } }]),
  evolve: () => true,
};
