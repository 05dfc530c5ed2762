import { randomUUID } from 'node:crypto';
import { type EventLog } from '../core/event-log.js';
import { handle, type CommandEnvelope, type Handled } from '../core/handle.js';
import { userDecider, type UserCommand, type UserState } from './user.js';
import { userStream } from './user-events.js';
import { USERS, type UserView } from './user-view.js';
import { type AccountPorts } from './ports.js';

/** Carries out what users do with their own accounts. Does not wait for the read models. */
export function handleUser(
  userId: number,
  command: UserCommand,
  log: EventLog,
  metadata: CommandEnvelope<unknown, unknown>['metadata'],
): Promise<Handled<UserState | null>> {
  return handle(log, userDecider, {
    stream: userStream(userId),
    commandId: randomUUID(),
    isNew: true,
    metadata,
    command: () => command,
  });
}

/** Resolves when every process has applied the change, or this one no longer accepts what the change may have ended. */
export async function changeUser(
  { id }: UserView,
  command: UserCommand,
  ports: AccountPorts,
  metadata: CommandEnvelope<unknown, unknown>['metadata'],
): Promise<void> {
  const changed = await handleUser(id, command, ports.log, metadata);
  // What another request has done may not be shown yet either.
  const last = changed.position ?? changed.end;
  if (last !== null) await ports.readModels.caughtUp(USERS, last);
  ports.unshown.add(id, changed);
}
