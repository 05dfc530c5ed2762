import { type AccountPorts } from '../../users/ports.js';

export interface AccessKeyPorts extends AccountPorts {
  readonly nextAccessKeyId: () => Promise<number>;
}
