import { Problem } from '../core/problem.js';
import { type UserView } from '../users/user-view.js';
import { type Viewer } from './viewer.js';

/** Who gives a command, and in which request. */
export interface Caller {
  readonly viewer: Viewer;
  readonly requestId: string;
}

/** The facts that go with the events of a command. */
export const metadataOf = ({ viewer, requestId }: Caller, now: Date) => ({
  actor: viewer.user?.id ?? null,
  at: now.toISOString(),
  requestId,
});

export function signedIn({ user }: Viewer): UserView {
  if (user === null) throw new Problem('unauthenticated', 'Sign in first: this route requires a user');
  return user;
}
