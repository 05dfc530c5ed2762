/** What the commands of user groups work with. */
import { type Definitions } from '../definitions/definitions.js';
import { type UserPorts } from '../users/ports.js';

export interface UserGroupPorts extends UserPorts {
  readonly definitions: Definitions;
}
