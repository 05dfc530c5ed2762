import { Problem } from '../core/problem.js';
import { type UserView } from '../users/user-view.js';
import { type Viewer } from './viewer.js';

/** Who gives a command, and in which request. */
export interface Caller {
  readonly viewer: Viewer;
  readonly requestId: string;
}

/** The facts that go with the events of a command. The actor throws for a caller who may not give the command by the rights of now. */
export interface ByCaller<Command> {
  readonly actor: (command: Command) => number | null;
  readonly at: string;
  readonly requestId: string;
}

/** Asked for right before each append. `refuse` throws for who may not give the command; without it, every user may. */
export const actorOf =
  <Command>({ viewer }: Pick<Caller, 'viewer'>, refuse: (command: Command) => unknown = () => undefined) =>
  (command: Command): number | null => {
    const user = viewer.present();
    refuse(command);
    return user?.id ?? null;
  };

export const metadataOf = <Command>(
  caller: Caller,
  now: Date,
  refuse?: (command: Command) => unknown,
): ByCaller<Command> => ({ ...metadataAfterwards(caller, now), actor: actorOf(caller, refuse) });

/** The same of what completes a command that is stored: nothing asks for the rights of its caller any more. */
export const metadataAfterwards = ({ viewer, requestId }: Caller, now: Date) => ({
  actor: viewer.user?.id ?? null,
  at: now.toISOString(),
  requestId,
});

export function signedIn({ user }: Viewer): UserView {
  if (user === null) throw new Problem('unauthenticated', 'Sign in first: this route requires a user');
  return user;
}
