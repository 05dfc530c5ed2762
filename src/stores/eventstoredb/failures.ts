/** What may come of a call of EventStoreDB, sorted by what helps. */
import { AccessDeniedError, ErrorType, isCommandError } from '@eventstore/db-client';
import { Problem } from '../../core/problem.js';
import { Denied, Incomplete, TransientError, Unavailable } from './errors.js';

const RETRY_AFTER = 5;

export function noAnswer(): Unavailable {
  return new Unavailable('unavailable', 'The event log does not answer right now', { retryAfter: RETRY_AFTER });
}

export function noEntry(): Unavailable {
  return new Unavailable('unavailable', 'The event log refuses the service right now', { retryAfter: RETRY_AFTER });
}

export function closedLog(): Problem {
  return new Problem('unavailable', 'The event log is closed');
}

/** Refusals that another try would only repeat. Anything else of the client leaves the outcome open. */
const FINAL: ReadonlySet<ErrorType> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.MISSING_REQUIRED_METADATA_PROPERTY,
  ErrorType.STREAM_DELETED,
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.UNSUPPORTED,
  ErrorType.WRONG_EXPECTED_VERSION,
]);
const CLIENT_FAILURES = /^(Failed to discover|Channel )/;

export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Problem) return error instanceof Unavailable;
  if (isCommandError(error)) return !FINAL.has(error.type);
  // The client hands on what it did not expect of gRPC and of sockets as it is: those carry a code.
  return error instanceof TransientError || 'code' in error || CLIENT_FAILURES.test(error.message);
}

/** Whether the server, or the way to it, is at fault, rather than what was asked of it. */
export function isOutage(error: unknown): boolean {
  return isTransient(error) && !(error instanceof Denied || error instanceof Incomplete);
}

const DEADLINE_EXCEEDED = 4;
const UNAUTHENTICATED = 16;

export function isDeadline(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DEADLINE_EXCEEDED;
}

export function isDenial(error: unknown): error is AccessDeniedError {
  return error instanceof AccessDeniedError;
}

export function isUnauthenticated({ code }: AccessDeniedError): boolean {
  return Number(code) === UNAUTHENTICATED;
}

export function denied(error: AccessDeniedError): Denied {
  return new Denied(
    isUnauthenticated(error)
      ? 'EventStoreDB no longer accepts the user name or the password: set the one that EVENTSTOREDB_URL has on the server, or put ' +
          "the server's into EVENTSTOREDB_URL and restart"
      : 'EventStoreDB denies the user of EVENTSTOREDB_URL what it allowed before: give the user access to all streams again',
  );
}
