/** What the commands of users work with. */
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { type ReadModels } from '../core/read-models.js';
import { type UnshownChanges } from './unshown-changes.js';

export interface UserPorts {
  readonly log: EventLog;
  readonly readModels: Pick<ReadModels, 'caughtUp'>;
  readonly clock: Clock;
}

export interface AccountPorts extends UserPorts {
  readonly unshown: UnshownChanges;
}
