// What the protocol double of EventStoreDB can be made to do wrong.
import { Metadata, status } from '@grpc/grpc-js';

export type Failure = 'unavailable' | 'aborted' | 'cancelled' | 'internal' | 'silence';

export interface AppendFault {
  /** Whether the events are stored before things go wrong. */
  readonly written: boolean;
  readonly then: Failure | 'conflict' | 'no-position' | 'late' | 'denied';
}

export interface ReadFault {
  /** After so many messages. */
  readonly after: number;
  readonly then: Failure | 'denied' | 'end';
}

type Reading = 'stream' | 'all' | 'subscription';

export interface Faults {
  append?: ((stream: string) => AppendFault | undefined) | undefined;
  read?: ((reading: Reading, stream: string | undefined) => ReadFault | undefined) | undefined;
  /** No member of the cluster tells who leads it. */
  leaderless?: boolean;
  /** The user's password is another one by now. */
  password?: string | undefined;
  /** Subscriptions report the end of the log as a checkpoint before they send what comes before it. */
  checkpointsAhead?: boolean;
}

const CODES = {
  unavailable: [status.UNAVAILABLE, 'Server Is Not Ready'],
  aborted: [status.ABORTED, 'Consumer too slow to handle event while live'],
  cancelled: [status.CANCELLED, 'Operation cancelled by the server'],
  internal: [status.INTERNAL, 'Received RST_STREAM with code 2'],
} as const;

export function failure(kind: keyof typeof CODES) {
  const [code, details] = CODES[kind];
  return { code, details, metadata: new Metadata() };
}

/** A place that is none: the position of a log that has become another. */
export function invalidPosition() {
  const details = 'Trying to read from an invalid position';
  return { code: status.INVALID_ARGUMENT, details, metadata: new Metadata() };
}

export function tombstoned(stream: string) {
  const refused = refusal('stream-deleted', { 'stream-name': stream });
  return { ...refused, code: status.FAILED_PRECONDITION, details: `Event stream '${stream}' is deleted.` };
}

/** Of a user who may not do that, or of nobody. */
export function denial() {
  return { ...refusal('access-denied'), code: status.PERMISSION_DENIED, details: 'Access Denied' };
}

export function refusal(exception: string, facts: Readonly<Record<string, string>> = {}) {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  for (const [key, value] of Object.entries(facts)) metadata.set(key, value);
  return { code: status.UNKNOWN, details: exception, metadata };
}
