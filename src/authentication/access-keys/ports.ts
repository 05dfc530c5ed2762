import { type UserPorts } from '../../users/ports.js';

export interface AccessKeyPorts extends UserPorts {
  readonly nextAccessKeyId: () => Promise<number>;
}
