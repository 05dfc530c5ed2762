import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStoreDBClient } from '@eventstore/db-client';
import { clientFor, type ConnectionString } from './connection-string.js';
import { TransientError } from './errors.js';

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Told of what ends the use of a client. */
interface Losses {
  /** Its channel leads to a server that cannot be used, or to a follower that names the leader. */
  readonly onLost: (leader?: Endpoint) => void;
  /** No member of the cluster was found. */
  readonly onNotFound: () => void;
}

/** What leads to one server. Once it is lost, another one has taken its place. */
export interface Connection {
  readonly client: EventStoreDBClient;
  /** Aborts when the connection is lost: what was begun on it is to be begun again on the next. */
  readonly lost: AbortSignal;
}

interface StoreClient extends Connection {
  /** host:port that the channel leads to; undefined before there is one. */
  readonly target: () => string | undefined;
  /** Ends nothing that is under way, but begins nothing either. */
  readonly hangUp: () => void;
  readonly lose: () => void;
  /** Ends every stream that is open and hangs up. */
  readonly close: () => Promise<void>;
}

/** Members of client 6.2.1 that it keeps to itself. */
interface Internals {
  supports: () => Promise<boolean>;
  shouldReconnect: (error: Error) => readonly [boolean, Endpoint?];
  handleError: (grpcClient: unknown, error: Error) => Promise<void>;
  createChannel: () => Promise<{ getTarget(): string; close(): void }>;
}

/** The client waits for streams that may never end. */
const DISPOSING_MS = 1000;

/**
 * A client for one channel, without five habits:
 * - its batch appends of all instances wait in one place, where a broken stream forgets those of the others, whose
 *   answers then throw out of reach: told that the server knows no batches, it makes each append a call of its own,
 *   which keeps its deadline too;
 * - it replaces its channel, and leaves what is open on the old one there;
 * - a channel that cannot be made again rejects a promise that is not awaited;
 * - an append on a channel that is closed does so too, and has no end;
 * - disposing of it leaves the connection open.
 */
export function storeClient(connectionString: string, { onLost, onNotFound }: Losses): StoreClient {
  const client = clientFor(connectionString);
  const internals = client as unknown as Internals;
  const lost = new AbortController();
  // One for each reading that is under way.
  setMaxListeners(0, lost.signal);
  let channel: Awaited<ReturnType<Internals['createChannel']>> | undefined;
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
    if (!isOver) return channel;
    channel.close();
    throw replaced();
  };
  const hangUp = (): void => {
    isOver = true;
    // After the calls that have begun already, and are not yet on the channel.
    setImmediate(() => channel?.close());
  };
  const lose = (): void => {
    lost.abort(replaced());
  };
  return {
    client,
    lost: lost.signal,
    target: () => channel?.getTarget().replace(/^dns:/, ''),
    hangUp,
    lose,
    close: async () => {
      lose();
      await Promise.race([client.dispose(), sleep(DISPOSING_MS, undefined, { ref: false })]);
      hangUp();
    },
  };
}

function replaced(): TransientError {
  return new TransientError('The connection to EventStoreDB was replaced');
}

/** What the client cannot read is no reason to leave the server. */
function verdict(internals: Internals, error: Error): readonly [boolean, Endpoint?] {
  try {
    return internals.shouldReconnect(error);
  } catch {
    return [false];
  }
}

export interface Connections {
  readonly current: () => Connection;
  /** The server has answered a call. */
  readonly answered: (connection: Connection) => void;
  /** The server has not answered a call in time. It may hang, and keep the connection alive all the same. */
  readonly unanswered: (connection: Connection) => void;
  /** Ends every stream that is open and hangs up. */
  readonly close: () => Promise<void>;
}

/** So many calls in a row may go unanswered; of a server that never answered, one. */
const UNANSWERED = 2;
/** A member that has not answered is not asked for the leader for so long, if there are others to ask. */
const LEFT_OUT_MS = 10_000;

/** One connection at a time, for all of the log. */
export function connections(way: ConnectionString): Connections {
  const leftOut = new Map<string, number>();
  let isClosed = false;
  let current: StoreClient;
  let patience = 0;

  const open = (to: string): void => {
    const opened = storeClient(to, {
      onLost: (leader) => {
        replace(opened, leader);
      },
      onNotFound: () => {
        if (leftOut.size === 0) return;
        leftOut.clear();
        replace(opened);
      },
    });
    [current, patience] = [opened, 1];
  };
  const replace = (last: StoreClient, leader?: Endpoint): void => {
    if (last !== current || isClosed) return;
    const named = leader && way.leadingTo([`${leader.address}:${leader.port}`]);
    const isAnyLeftOut = others().length < way.addresses.length;
    open(named ?? (isAnyLeftOut ? way.leadingTo(others()) : null) ?? way.whole);
    last.hangUp();
    // What the calls have to say for themselves says more, and comes before.
    setImmediate(last.lose);
  };
  const others = (): readonly string[] => way.addresses.filter((host) => (leftOut.get(host) ?? 0) <= performance.now());
  const leaveOut = (target = ''): void => {
    if (others().every((host) => host === target)) leftOut.clear();
    if (target !== '') leftOut.set(target, performance.now() + LEFT_OUT_MS);
  };

  open(way.whole);
  return {
    current: () => current,
    answered: (connection) => {
      if (connection === current) patience = UNANSWERED;
    },
    unanswered: (connection) => {
      if (connection !== current) return;
      patience -= 1;
      if (patience > 0) return;
      leaveOut(current.target());
      replace(current);
    },
    close: () => {
      isClosed = true;
      return current.close();
    },
  };
}
