import { type UserView } from './user-view.js';

/** Who asks, and what they may know of others. */
export interface UserRights {
  /** Null: anonymous. */
  readonly user: UserView | null;
  readonly isSiteAdmin: boolean;
  /** Whether the user was suspended, or became or ceased to be a site administrator, since the request began. */
  readonly isOutdated: () => boolean;
  /** Whether the addresses and states of users are shown. */
  readonly canSeeAddresses: boolean;
}
