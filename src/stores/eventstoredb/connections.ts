import { setMaxListeners } from 'node:events';
import { type EventStoreDBClient } from '@eventstore/db-client';
import { type Endpoint, type Losses, type StoreClient, storeClient } from './client.js';
import { type ConnectionString } from './connection-string.js';
import { TransientError } from './errors.js';

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
export function connections(connectionString: ConnectionString): Connections {
  const leftOut = new Map<string, number>();
  let isClosed = false;
  let current: Live;

  const open = (way: string): Live => {
    const live: Live = opened(way, {
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
    current = open(wayOn(connectionString, leftOut, leader));
    live.hangUp();
    // What the calls have to say for themselves says more, and comes before.
    setImmediate(live.lose);
  };

  const leaveOut = (target: string | undefined): void => {
    if (target === undefined) return;
    if (othersOf(connectionString, leftOut).every((host) => host === target)) leftOut.clear();
    leftOut.set(target, performance.now() + LEFT_OUT_MS);
  };

  current = open(connectionString.whole);
  return {
    current: () => current,
    answered: (connection) => {
      if (connection !== current) return;
      current.hasAnswered = true;
      current.unanswered = 0;
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
      lost.abort(new TransientError('The connection to EventStoreDB was replaced'));
    },
    hasAnswered: false,
    unanswered: 0,
  };
}

function wayOn(
  connectionString: ConnectionString,
  leftOut: ReadonlyMap<string, number>,
  leader: Endpoint | undefined,
): string {
  const { whole, hosts, leadingTo } = connectionString;
  const toLeader = leader && leadingTo([`${leader.address}:${leader.port}`]);
  if (typeof toLeader === 'string') return toLeader;
  const others = othersOf(connectionString, leftOut);
  return others.length === hosts.length ? whole : (leadingTo(others) ?? whole);
}

const DEFAULT_PORT = 2113;

function othersOf({ hosts }: ConnectionString, leftOut: ReadonlyMap<string, number>): readonly string[] {
  const now = performance.now();
  return hosts
    .map(({ host }) => (host.includes(':') ? host : `${host}:${DEFAULT_PORT}`))
    .filter((host) => (leftOut.get(host) ?? 0) <= now);
}
