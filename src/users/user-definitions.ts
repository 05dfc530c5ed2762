import { type UserView } from './user-view.js';

/** Users by what names them. Each throws `unavailable` for one who is out of date, but for `user`. */
export interface UserDefinitions {
  /** As last known, for those who name the user. */
  user(id: number): UserView | undefined;
  /** For those who act as the user, or show what the user is. */
  currentUser(id: number): UserView | undefined;
  userNamed(username: string): UserView | undefined;
  userWithAccessKey(id: number): UserView | undefined;
  /** The same list for as long as no user changes. */
  users(): readonly UserView[];
  /** Another text after every change of any definition or mark: what was derived under an earlier one may be out of date. */
  readonly generation: string;
}
