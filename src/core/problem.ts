export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'bad-credentials'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'stale'
  | 'too-large'
  | 'unsupported'
  | 'too-many'
  | 'unavailable'
  | 'full';

/** One thing that is wrong in a request: where, as a JSON pointer into the body or a parameter's name, and what. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/** A member's name as a part of a pointer (RFC 6901). */
export const pointerTo = (member: string): string => `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;

export interface ProblemOptions {
  readonly details?: readonly Violation[];
  /** Seconds until another try may succeed; becomes Retry-After. */
  readonly retryAfter?: number;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** The one error a client is meant to see. Anything else thrown is a defect and answers 500. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly details: readonly Violation[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(kind: ProblemKind, message: string, options: ProblemOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.kind = kind;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}

/** With the cause, which a client is not meant to see. */
export const reasonOf = (problem: Problem): string =>
  problem.cause instanceof Error ? `${problem.message}: ${problem.cause.message}` : problem.message;

/** Another try after two seconds may succeed. */
export const temporarilyUnavailable = (reason: string): Problem =>
  new Problem('unavailable', reason, { retryAfter: 2 });

/** Of the one thing that is wrong, which the message names by itself. */
export const invalidIn = (pointer: string, message: string): Problem =>
  new Problem('invalid', message, { details: [{ pointer, message }] });

/** The same; the message goes on where the pointer ends. */
export function invalidAt(pointer: string, message: string): Problem {
  return new Problem('invalid', `${pointer} ${message}`, { details: [{ pointer, message }] });
}
