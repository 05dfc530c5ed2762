/** Whether credentials can be checked: users, and the groups that they are in, are followed. */
import { steadyClock, type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { PROJECTS } from '../projects/project-view.js';
import { USERS } from '../users/user-view.js';

/** For so long a user may keep what was taken away, when the projections cannot be followed. */
const UNFOLLOWED_MS = 10_000;
/** However many requests there are. */
const LOOK_EVERY_MS = 100;

/** Groups belong to projects. Rights in a tracker change by the platform file alone, which waits until they hold. */
const FOLLOWED: readonly string[] = [USERS, PROJECTS];

interface Watched {
  /** `since` by the steady clock. */
  readonly unhealthy: () => readonly { readonly projection: string; readonly state: string; readonly since: Date }[];
  readonly projections: { readonly ready: Promise<void> };
}

export function followsUsers({ unhealthy, projections }: Watched, clock: Clock = steadyClock): () => boolean {
  const held = () => unhealthy().filter(({ projection }) => FOLLOWED.includes(projection));
  let patienceMs = UNFOLLOWED_MS;
  // One that has stopped before may have missed much. Where they do not get ready, the start tells.
  const lookOnce = (): void => {
    if (held().some(({ state }) => state === 'stopped')) patienceMs = 0;
  };
  void projections.ready.then(lookOnce, () => undefined);
  let [lookedAt, follows] = [-Infinity, true];
  return () => {
    const now = clock().getTime();
    if (now - lookedAt < LOOK_EVERY_MS) return follows;
    lookedAt = now;
    const found = held();
    if (found.length === 0) patienceMs = UNFOLLOWED_MS;
    follows = found.every(({ since }) => now - since.getTime() < patienceMs);
    return follows;
  };
}

export function refuseUnlessFollowed(follows: () => boolean): void {
  if (follows()) return;
  throw new Problem('unavailable', 'Credentials cannot be verified; retry later', { retryAfter: 5 });
}
