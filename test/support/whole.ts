import { type Steps } from '../../src/core/concurrency/others-turn.js';

/** What the steps come to, all of them taken at once. */
export function whole<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
