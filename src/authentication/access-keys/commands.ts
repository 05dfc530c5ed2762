import { randomUUID } from 'node:crypto';
import { type Clock } from '../../core/clock.js';
import { type EventLog } from '../../core/event-log.js';
import { handle } from '../../core/handle.js';
import { type ReadModels } from '../../core/read-models.js';
import { type AccessKeyCommand } from '../../users/access-key.js';
import { userDecider } from '../../users/user.js';
import { userStream } from '../../users/user-events.js';
import { USERS, type UserView } from '../../users/user-view.js';

export interface AccessKeyPorts {
  readonly log: EventLog;
  readonly readModels: Pick<ReadModels, 'caughtUp'>;
  readonly clock: Clock;
  readonly nextAccessKeyId: () => Promise<number>;
}

/** Resolves when this process knows of it. */
export async function changeAccessKey(
  { log, readModels, clock }: AccessKeyPorts,
  { id }: UserView,
  command: AccessKeyCommand,
  requestId: string,
): Promise<void> {
  const { position } = await handle(log, userDecider, {
    stream: userStream(id),
    commandId: randomUUID(),
    isNew: true,
    metadata: { actor: id, at: clock().toISOString(), requestId },
    command: () => command,
  });
  if (position !== null) await readModels.caughtUp(USERS, position);
}
