/** Whether credentials can be checked: users, and the groups that they are in, are followed. */
import { type Clock } from '../core/clock.js';
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
  readonly unhealthy: () => readonly { readonly projection: string; readonly since: Date }[];
  readonly clock: Clock;
}

export function followsUsers({ unhealthy, clock }: Watched): () => boolean {
  let [lookedAt, follows] = [-Infinity, true];
  return () => {
    const now = clock().getTime();
    if (Math.abs(now - lookedAt) < LOOK_EVERY_MS) return follows;
    lookedAt = now;
    follows = unhealthy().every(
      ({ projection, since }) => !FOLLOWED.includes(projection) || now - since.getTime() < UNFOLLOWED_MS,
    );
    return follows;
  };
}

export function refuseUnlessFollowed(follows: () => boolean): void {
  if (follows()) return;
  throw new Problem('unavailable', 'Credentials cannot be verified; retry later', { retryAfter: 5 });
}
