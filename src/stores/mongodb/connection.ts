/** The one client of a process for its MongoDB, and the Problems for its errors. */
import {
  MongoClient,
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  type Abortable,
  type CommandOperationOptions,
  type Db,
  type MongoClientOptions,
  type WriteConcernSettings,
} from 'mongodb';
import { Problem } from '../../core/problem.js';
import { patchDriver } from './driver-patch.js';

const DATABASE = 'tracker_ledger';
export const RETRY_AFTER = 5;
const CONNECT_AGAIN_MS = 100;

/** For what the URL does not say. */
const DEFAULTS: MongoClientOptions = {
  appName: 'tracker-ledger',
  connectTimeoutMS: 2000,
  serverSelectionTimeoutMS: 2000,
  waitQueueTimeoutMS: 5000,
  // Not `timeoutMS`: that would also end a large file that takes longer to read.
  socketTimeoutMS: 10_000,
};

/** Writes are on the disks of a majority before any reader sees them. For what the URL does not say, too. */
const WRITE_CONCERN: WriteConcernSettings = { w: 'majority', journal: true };

export interface MongoDatabase {
  readonly db: Db;
  readonly client: MongoClient;
  readonly close: () => Promise<void>;
}

/** Connects when it is first used. The database is the one that the URL names, or else `tracker_ledger`. */
export function mongoDatabase(url: string): MongoDatabase {
  patchDriver();
  // Reads from secondaries would be wrong: a secondary may be behind an earlier answer of another server.
  const writeConcern = notIn(url, WRITE_CONCERN);
  const client = new MongoClient(url, { ...notIn(url, DEFAULTS), writeConcern, readPreference: 'primary' });
  const leave = keptTrying(client);
  return {
    db: client.db(databaseIn(url)),
    client,
    close: async () => {
      leave();
      await client.close();
    },
  };
}

/** Left alone, a client whose first connection has failed never makes another. The way to leave ends the tries. */
function keptTrying(client: MongoClient): () => void {
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
    client.connect().catch(() => undefined);
  };
  const later = (): void => {
    timer = setTimeout(again, CONNECT_AGAIN_MS).unref();
  };
  client.on('topologyClosed', later);
  return () => {
    client.off('topologyClosed', later);
    clearTimeout(timer);
  };
}

/** Options given beside a URL would win over what it says. */
function notIn<T extends object>(url: string, defaults: T): Partial<T> {
  const [, query = ''] = url.split('?');
  const said = new Set([...new URLSearchParams(query).keys()].map((key) => key.toLowerCase()));
  const unsaid = Object.entries(defaults).filter(([option]) => !said.has(option.toLowerCase()));
  return Object.fromEntries(unsaid) as Partial<T>;
}

function databaseIn(url: string): string {
  const name = /^[^:]+:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? DATABASE : decodeURIComponent(name);
}

/**
 * For a write beyond the buffers of the system. If the server does not read it, the driver alone would wait for ever,
 * and lose the connection. Longer than `socketTimeoutMS`, by default.
 */
export function writeDeadline(ms = 15_000): CommandOperationOptions & Abortable {
  return { signal: AbortSignal.timeout(ms) };
}

/** An error that says that no server answers right now becomes a Problem for clients. Others are left as they are. */
export function unavailable(error: unknown, message = 'MongoDB does not answer; retry later'): Error {
  if (isOutage(error)) return new Problem('unavailable', message, { retryAfter: RETRY_AFTER });
  return error instanceof Error ? error : new Error(String(error));
}

/** Says the message where the server does not answer. */
export async function answering<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error, message);
  }
}

/** Another try may well succeed, once there is a server again or another one has become the primary. */
function isOutage(error: unknown): boolean {
  if (error instanceof MongoServerError) return isPassing(error);
  if (error instanceof Error && (NAMES.has(error.name) || isOfTheNetwork(error))) return true;
  return OUTAGES.some((outage) => error instanceof outage);
}

/** The driver leaves an error of a socket as it is when it comes upon it while writing. */
function isOfTheNetwork(error: Error): boolean {
  return 'syscall' in error && 'code' in error && typeof error.code === 'string' && NETWORK_CODES.has(error.code);
}

const OUTAGES = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
];

/** The driver keeps the classes of the first to itself; the last is of a `writeDeadline`. */
const NAMES = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError', 'TimeoutError']);

function isPassing({ code, errorResponse }: MongoServerError): boolean {
  // A bulk write holds its errors there.
  return (
    (typeof code === 'number' && PASSING_CODES.has(code)) || (errorResponse instanceof Error && isOutage(errorResponse))
  );
}

const NETWORK_CODES = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTCONN',
  'EPIPE',
  'ETIMEDOUT',
  // Of a name that cannot be looked up right now.
  'EAI_AGAIN',
  'ENOTFOUND',
]);

const PASSING_CODES = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server has been started again meanwhile
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  112, // WriteConflict
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  175, // QueryPlanKilled
  189, // PrimarySteppedDown
  237, // CursorKilled
  262, // ExceededTimeLimit
  365, // TemporarilyUnavailable
  462, // a limit of how many requests a server takes in a second
  9001, // SocketException
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_601, // Interrupted
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  16_500, // the same limit of compatible servers
]);
