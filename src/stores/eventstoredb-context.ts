import { type EventStoreDBClient } from '@eventstore/db-client';
import { type OnTrouble, type Timing } from './eventstoredb-calls.js';
import { type Names } from './eventstoredb-recorded.js';

/** What the parts of the log on EventStoreDB share. */
export interface StoreContext {
  readonly client: EventStoreDBClient;
  readonly names: Names;
  readonly prefix: string;
  readonly timing: Timing;
  readonly onTrouble: OnTrouble;
  /** Aborts when the log is closed: readings that still go on fail. */
  readonly closing: AbortSignal;
}
