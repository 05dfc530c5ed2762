import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';

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

const CREDENTIALS = /\/\/[^/\s]*@/g;

/**
 * The client, without three habits that could end the process:
 * - its batch appends of all instances wait in one place, where a broken stream forgets those of the others, whose
 *   answers then throw out of reach: told that the server knows no batches, it makes each append a call of its own,
 *   which keeps its deadline too;
 * - a channel that cannot be made again rejects a promise that nobody awaits;
 * - disposing of it leaves the connection open.
 */
export function storeClient(connectionString: string, onTrouble: (error: unknown) => void): StoreClient {
  const client = parsed(connectionString);
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

function parsed(connectionString: string): EventStoreDBClient {
  let reason: string;
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  // The client quotes the string, and with it the password.
  throw new Error(`Connection string of EventStoreDB: ${reason.replaceAll(CREDENTIALS, '//***@')}`);
}
