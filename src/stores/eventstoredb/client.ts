import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Told of what ends the use of a client. */
export interface Losses {
  /** Its channel leads to a server that cannot be used, or to a follower that names the leader. */
  readonly onLost: (leader?: Endpoint) => void;
  /** No member of the cluster was found. */
  readonly onNotFound: () => void;
}

export interface StoreClient {
  readonly client: EventStoreDBClient;
  /** host:port that the channel leads to; undefined before there is one. */
  readonly target: () => string | undefined;
  /** Ends nothing that is under way, but begins nothing either. */
  readonly hangUp: () => void;
  /** Ends every stream that is open and hangs up. */
  readonly close: () => Promise<void>;
}

interface Channel {
  getTarget(): string;
  close(): void;
}

/** Members of client 6.2.1 that it keeps to itself. */
interface Internals {
  supports: () => Promise<boolean>;
  shouldReconnect: (error: Error) => readonly [boolean, Endpoint?];
  handleError: (grpcClient: unknown, error: Error) => Promise<void>;
  createChannel: () => Promise<Channel>;
}

/** The client waits for streams that may never end. */
const DISPOSING_MS = 1000;
/** In seconds. The client's own 5 are longer than a call may take; a member that hangs would use them up. */
const GOSSIP_TIMEOUT = 'gossipTimeout=2';

/**
 * A client for one channel, without four habits:
 * - its batch appends of all instances wait in one place, where a broken stream forgets those of the others, whose
 *   answers then throw out of reach: told that the server knows no batches, it makes each append a call of its own,
 *   which keeps its deadline too;
 * - it replaces its channel, and leaves what is open on the old one there;
 * - a channel that cannot be made again rejects a promise that nobody awaits;
 * - disposing of it leaves the connection open.
 */
export function storeClient(connectionString: string, { onLost, onNotFound }: Losses): StoreClient {
  const client = parsed(connectionString);
  const internals = client as unknown as Internals;
  let channel: Channel | undefined;
  let isOver = false;

  internals.supports = () => Promise.resolve(false);

  internals.handleError = async (_, error) => {
    const [isLost, leader] = verdict(internals, error);
    if (isLost) onLost(leader);
    return Promise.resolve();
  };
  const { createChannel } = internals;
  internals.createChannel = async () => {
    try {
      channel = await createChannel();
    } catch (error) {
      onNotFound();
      throw error;
    }
    if (isOver) channel.close();
    return channel;
  };
  const hangUp = (): void => {
    isOver = true;
    channel?.close();
  };
  return {
    client,
    target: () => channel?.getTarget().replace(/^dns:/, ''),
    hangUp,
    close: async () => {
      await Promise.race([client.dispose(), sleep(DISPOSING_MS, undefined, { ref: false })]);
      hangUp();
    },
  };
}

/** What the client cannot read is no reason to leave the server. */
function verdict(internals: Internals, error: Error): readonly [boolean, Endpoint?] {
  try {
    return internals.shouldReconnect(error);
  } catch {
    return [false];
  }
}

/** Of a string that was checked, so that what the client quotes from it is an option. */
function parsed(connectionString: string): EventStoreDBClient {
  let reason: string;
  try {
    return EventStoreDBClient.connectionString(withGossipTimeout(connectionString));
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  throw new Error(`Connection string of EventStoreDB: ${reason}`);
}

function withGossipTimeout(connectionString: string): string {
  if (connectionString.includes('gossipTimeout=')) return connectionString;
  return `${connectionString}${connectionString.includes('?') ? '&' : '?'}${GOSSIP_TIMEOUT}`;
}
