/** Times of readers and writer that have to fit each other, in milliseconds. */

/** How often readers poll the state of the projections while no request waits. */
export const IDLE_MS = 100;

/** No reader uses an older state. */
export const STALE_MS = 250;

/** After this, every reader has seen what was changed before. */
export const SETTLE_MS = 300;
