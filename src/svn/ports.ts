/** What the commands of repositories work with. */
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { type ReadModels } from '../core/read-models.js';
import { type Definitions } from '../definitions/definitions.js';

export interface SvnPorts {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly nextRepositoryId: () => Promise<number>;
}
