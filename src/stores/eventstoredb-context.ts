import { type EventStoreDBClient } from '@eventstore/db-client';
import { type Calling } from './eventstoredb-calls.js';
import { type Names } from './eventstoredb-recorded.js';

/** What the parts of the log on EventStoreDB share. */
export interface StoreContext extends Calling {
  readonly client: EventStoreDBClient;
  readonly names: Names;
  readonly prefix: string;
}
