import { type UserView } from './user-view.js';

/** Who asks, and what they may know of others. */
export interface UserRights {
  /** Null: anonymous. */
  readonly user: UserView | null;
  readonly isSiteAdmin: boolean;
  /** Whether the addresses and states of users are shown. */
  readonly canSeeAddresses: boolean;
}
