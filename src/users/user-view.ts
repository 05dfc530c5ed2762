import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { type User } from './user.js';

export interface UserView extends User, Document {
  readonly id: number;
  /** Of the user's stream; a token carries the one at its issue. */
  readonly revision: Revision;
}

export const USERS = 'users';

export const userViews: ReadModel<UserView> = { name: USERS, category: 'user' };
