import { type Calling } from './retry.js';
import { type Names } from './codec.js';

/** What the parts of the log on EventStoreDB share. */
export interface StoreContext extends Calling {
  readonly names: Names;
  readonly prefix: string;
}
