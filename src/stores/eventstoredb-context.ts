import { type Calling } from './eventstoredb-calls.js';
import { type Names } from './eventstoredb-recorded.js';

/** What the parts of the log on EventStoreDB share. */
export interface StoreContext extends Calling {
  readonly names: Names;
  readonly prefix: string;
}
