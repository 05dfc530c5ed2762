/** Times of readers and writer that have to fit each other, in milliseconds. */

/** How often readers look at the state of the projections while no request waits. */
export const IDLE_MS = 100;

/** No reader uses a state that it has looked at longer ago. */
export const STALE_MS = 250;

/** After this, every reader has seen what was changed before. */
export const SETTLE_MS = 300;
