import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { type ConnectionString } from './eventstoredb-connection-string.js';

export interface StoreClient {
  readonly client: EventStoreDBClient;
  /** Ends every stream that is open and hangs up. */
  readonly close: () => Promise<void>;
}

interface Channel {
  close(): void;
}

/** Members of client 6.2.1 that it keeps to itself. */
interface Internals {
  supports: () => Promise<boolean>;
  handleError: (grpcClient: unknown, error: Error) => Promise<void>;
  createChannel: () => Promise<Channel>;
}

/** The client waits for streams that may never end. */
const DISPOSING_MS = 1000;

/**
 * The client, without three habits that could end the process:
 * - its batch appends of all instances wait in one place, where a broken stream forgets those of the others, whose
 *   answers then throw out of reach: told that the server knows no batches, it makes each append a call of its own,
 *   which keeps its deadline too;
 * - a channel that cannot be made again rejects a promise that nobody awaits;
 * - disposing of it leaves the connection open.
 */
export function storeClient(
  connection: Pick<ConnectionString, 'whole'>,
  onTrouble: (error: unknown) => void,
): StoreClient {
  const client = parsed(connection.whole);
  const internals = client as unknown as Internals;
  let channel: Channel | undefined;

  internals.supports = () => Promise.resolve(false);

  const { handleError, createChannel } = internals;
  internals.handleError = (grpcClient, error) => handleError(grpcClient, error).catch(onTrouble);
  internals.createChannel = async () => (channel = await createChannel());

  return {
    client,
    close: async () => {
      await Promise.race([client.dispose(), sleep(DISPOSING_MS, undefined, { ref: false })]);
      channel?.close();
    },
  };
}

/** Of a string that was checked, so that what the client quotes from it is an option. */
function parsed(connectionString: string): EventStoreDBClient {
  let reason: string;
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  throw new Error(`Connection string of EventStoreDB: ${reason}`);
}
