import { type UserPorts } from '../../users/ports.js';
import { type Tokens } from './token.js';

export interface TokenPorts extends UserPorts {
  readonly tokens: Tokens;
}
