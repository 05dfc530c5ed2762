/** What may come of a call of EventStoreDB, sorted by what helps. Loads no client: who logs errors needs none. */
import { codeOf, messageOf } from '../../core/concurrency/retry.js';
import { type Revision, type StreamName } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';

/** What another try may mend: the outcome of the last one is unknown. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
}

/** The server has not answered in time. */
export class IdleTimeout extends TransientError {
  override readonly name: string = 'IdleTimeout';
}

/** The server has answered, but with less than there is. */
export class Incomplete extends TransientError {
  override readonly name: string = 'Incomplete';
}

/** The server refuses the user while the service runs. Nothing helps but an operator, and no restart is needed. */
export class Denied extends TransientError {
  override readonly name: string = 'Denied';
}

/** The log as a whole cannot be used right now. */
class Unavailable extends Problem {}

/** The store no longer has what was once stored of one stream. It concerns nothing else. */
export class StreamLost extends Problem {
  constructor(stream: StreamName, reason: string) {
    const message = `The event log has lost events of the stream ${stream}: ${reason}. An operator must restore them`;
    super('unavailable', message, { retryAfter: LOST_RETRY_AFTER });
  }
}

const LOST_RETRY_AFTER = 60;
const RETRY_AFTER = 5;

export function lacking(stream: StreamName, first: Revision | undefined): StreamLost {
  const reason = first === undefined ? 'it exists, but shows no event' : `it has no event before revision ${first}`;
  return new StreamLost(stream, reason);
}

export function tombstoned(stream: StreamName): StreamLost {
  return new StreamLost(stream, 'the stream is tombstoned');
}

export function noAnswer(): Unavailable {
  return new Unavailable('unavailable', 'The event log does not answer; retry later', { retryAfter: RETRY_AFTER });
}

export function noEntry(): Unavailable {
  return new Unavailable('unavailable', 'The event log denies access to this service; retry later', {
    retryAfter: RETRY_AFTER,
  });
}

export function closedLog(): Problem {
  return new Problem('unavailable', 'The event log is closed');
}

/** For operators: nothing of it mends itself. */
export function needsOperator(error: unknown): boolean {
  return error instanceof Denied || error instanceof StreamLost;
}

const DENIED = 'access-denied';

/** Refusals that another try would only repeat. Anything else of the client leaves the outcome open. */
const FINAL: ReadonlySet<unknown> = new Set([
  DENIED,
  'invalid-argument',
  'maximum-append-size-exceeded',
  'missing-required-metadata-property',
  'stream-deleted',
  'stream-not-found',
  'unsupported',
  'wrong-expected-version',
]);
const CLIENT_FAILURES = /^(Failed to discover|Channel )/;

export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Problem) return error instanceof Unavailable;
  if (error instanceof TransientError || CLIENT_FAILURES.test(error.message)) return true;
  // The client gives a type to what it knows, and hands on the rest of gRPC and of sockets as it is: all carry a code.
  return 'code' in error && !FINAL.has(typeOf(error));
}

/** Whether the server, or the way to it, is at fault, rather than what was asked of it. */
export function isOutage(error: unknown): boolean {
  return isTransient(error) && !(error instanceof Denied || error instanceof Incomplete);
}

const DEADLINE_EXCEEDED = 4;
const UNAUTHENTICATED = 16;

function typeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && 'type' in error ? error.type : undefined;
}

export function isDenial(error: unknown): boolean {
  return typeOf(error) === DENIED;
}

function isUnauthenticated(error: unknown): boolean {
  return codeOf(error) === UNAUTHENTICATED;
}

export function isDeadline(error: unknown): boolean {
  return codeOf(error) === DEADLINE_EXCEEDED;
}

/** No event begins there: the server's log is another one than that of the position, or an older state of it. */
export function isInvalidPosition(error: unknown): boolean {
  // The client knows no type for it.
  return error instanceof Error && 'code' in error && /invalid position/i.test(error.message);
}

export function denied(error: unknown): Denied {
  return new Denied(
    isUnauthenticated(error)
      ? 'EventStoreDB no longer accepts the user name or the password: set the one that EVENTSTOREDB_URL has on the server, or put ' +
          "the server's into EVENTSTOREDB_URL and restart"
      : 'EventStoreDB denies the user of EVENTSTOREDB_URL what it allowed before: give the user access to all streams again',
  );
}

export function tooLarge(stream: StreamName, size: number | undefined, maxBytes: number): Problem {
  const much = size === undefined ? 'more than that' : `${size} bytes`;
  return new Problem('too-large', `The append to ${stream} is too large: ${much}; the limit is ${maxBytes} bytes`);
}

/** The server refuses the user of a log that is being opened. */
export function denial(error: unknown, hasUser: boolean): string {
  if (isUnauthenticated(error)) return 'EventStoreDB does not accept the user name or the password';
  return hasUser
    ? 'The user of EVENTSTOREDB_URL may not read the whole log; give the user access to $all'
    : 'EventStoreDB requires a user name and a password in EVENTSTOREDB_URL';
}

/** In one line, for the author of a connection string. */
export function said(error: unknown): string {
  return messageOf(error)
    .replaceAll(/\s+/g, ' ')
    .replace(/\.? Resolution note: ?$/, '');
}
