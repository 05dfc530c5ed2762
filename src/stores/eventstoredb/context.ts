import { type CallContext } from './retry.js';
import { type Names } from './codec.js';

/** What the parts of the log on EventStoreDB share. */
export interface StoreContext extends CallContext {
  readonly names: Names;
  readonly prefix: string;
}
