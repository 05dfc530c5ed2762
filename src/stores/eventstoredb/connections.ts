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

interface StoreClient {
  readonly client: EventStoreDBClient;
  /** host:port that the channel leads to; undefined before there is one. */
  readonly target: () => string | undefined;
  /** Ends nothing that is under way, but begins nothing either. */
  readonly hangUp: () => void;
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

/** What leads to one server. Once it is lost, another one has taken its place. */
interface Connection {
  readonly client: EventStoreDBClient;
  /** Aborts when the connection is lost: what was begun on it is to be begun again on the next. */
  readonly lost: AbortSignal;
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

interface Live extends Connection, StoreClient {
  readonly lose: () => void;
  hasAnswered: boolean;
  unanswered: number;
}

/** So many calls in a row may go unanswered; of a server that never answered, one. */
const UNANSWERED = 2;
/** A member that has not answered is not asked for the leader for so long, if there are others to ask. */
const LEFT_OUT_MS = 10_000;

/** One connection at a time, for all of the log. */
export function connections(way: ConnectionString): Connections {
  const leftOut = new Map<string, number>();
  let isClosed = false;
  let current: Live;

  const open = (to: string): Live => {
    const live: Live = opened(to, {
      onLost: (leader) => {
        replace(live, leader);
      },
      onNotFound: () => {
        if (leftOut.size === 0) return;
        leftOut.clear();
        replace(live);
      },
    });
    return live;
  };
  const replace = (live: Live, leader?: Endpoint): void => {
    if (live !== current || isClosed) return;
    const named = leader && way.leadingTo([`${leader.address}:${leader.port}`]);
    const isAnyLeftOut = others().length < way.addresses.length;
    current = open(named ?? (isAnyLeftOut ? way.leadingTo(others()) : null) ?? way.whole);
    live.hangUp();
    // What the calls have to say for themselves says more, and comes before.
    setImmediate(live.lose);
  };
  const others = (): readonly string[] => way.addresses.filter((host) => (leftOut.get(host) ?? 0) <= performance.now());
  const leaveOut = (target: string | undefined): void => {
    if (target === undefined) return;
    if (others().every((host) => host === target)) leftOut.clear();
    leftOut.set(target, performance.now() + LEFT_OUT_MS);
  };

  current = open(way.whole);
  return {
    current: () => current,
    answered: (connection) => {
      if (connection === current) [current.hasAnswered, current.unanswered] = [true, 0];
    },
    unanswered: (connection) => {
      if (connection !== current) return;
      current.unanswered += 1;
      if (current.hasAnswered && current.unanswered < UNANSWERED) return;
      leaveOut(current.target());
      replace(current);
    },
    close: () => {
      isClosed = true;
      return current.close();
    },
  };
}

function opened(way: string, losses: Losses): Live {
  const lost = new AbortController();
  // One for each reading that is under way.
  setMaxListeners(0, lost.signal);
  return {
    ...storeClient(way, losses),
    lost: lost.signal,
    lose: () => {
      lost.abort(replaced());
    },
    hasAnswered: false,
    unanswered: 0,
  };
}
