/** Changes of users that were answered before the read models showed them. They may have ended tokens and access keys. */
import { LRUCache } from 'lru-cache';
import { atMost } from '../core/bounds.js';
import { temporarilyUnavailable } from '../core/problem.js';
import { type Handled } from '../core/handle.js';
import { type UserView } from './user-view.js';

const MOST_REMEMBERED = 50_000;
/** A log that was restored may never get to a revision again. */
const REMEMBERED_MS = 3_600_000;

export interface UnshownChanges {
  /** This process has answered a change of the user, or found it done, at this revision. */
  readonly add: (userId: number, at: Pick<Handled<unknown>, 'revision'>) => void;
  /** Returns the user. Throws `unavailable` until the user reflects what this process has answered. */
  readonly shown: (user: UserView) => UserView;
}

export function unshownChanges(): UnshownChanges {
  const revisions = new LRUCache<number, number>({ ...atMost(MOST_REMEMBERED), ttl: REMEMBERED_MS });
  return {
    add: (userId, { revision }) => void revisions.set(userId, Math.max(revision, revisions.get(userId) ?? revision)),
    shown: (user) => {
      const revision = revisions.get(user.id) ?? user.revision;
      if (user.revision < revision) throw temporarilyUnavailable('the last change of the account cannot be shown yet');
      return user;
    },
  };
}
