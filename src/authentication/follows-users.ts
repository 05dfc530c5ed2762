/** Whether tokens and access keys can be checked: users, who may revoke them, are followed. */
import { type Clock } from '../core/clock.js';
import { USERS } from '../users/user-view.js';

/** For so long a token may go on being accepted after its revocation, when the users cannot be followed. */
const UNFOLLOWED_MS = 10_000;
/** However many requests there are. */
const LOOK_EVERY_MS = 100;

interface Watched {
  readonly unhealthy: () => readonly { readonly projection: string; readonly since: Date }[];
  readonly clock: Clock;
}

export function followsUsers({ unhealthy, clock }: Watched): () => boolean {
  let [lookedAt, follows] = [-Infinity, true];
  return () => {
    const now = clock().getTime();
    if (Math.abs(now - lookedAt) < LOOK_EVERY_MS) return follows;
    const since = unhealthy().find(({ projection }) => projection === USERS)?.since;
    lookedAt = now;
    follows = since === undefined || now - since.getTime() < UNFOLLOWED_MS;
    return follows;
  };
}
