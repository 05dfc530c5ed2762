import { Problem } from '../core/problem.js';
import { type UserView } from './user-view.js';

/** Who asks, and what they may know of others. */
export interface UserRights {
  /** Null: anonymous. */
  readonly user: UserView | null;
  /** The same now. This and all rights that depend on groups throw once the user is suspended, or anonymous readers are no longer welcome. */
  readonly present: () => UserView | null;
  readonly isSiteAdmin: () => boolean;
  /** Whether the addresses and states of users are shown. */
  readonly canSeeAddresses: boolean;
}

export const suspended = (): Problem => new Problem('forbidden', 'The account is suspended');

export const userRequired = (): Problem => new Problem('unauthenticated', 'Sign in first: this route requires a user');
