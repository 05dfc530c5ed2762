import { type AccountPorts } from '../../users/ports.js';
import { type Tokens } from './token.js';

export interface TokenPorts extends AccountPorts {
  readonly tokens: Tokens;
}
