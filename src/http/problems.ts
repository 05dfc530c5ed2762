import { STATUS_CODES } from 'node:http';
import { type Context, type Middleware } from 'koa';
import { type Logger } from 'pino';
import { UnsupportedEvent } from '../core/event-log.js';
import { Problem, reasonOf, type ProblemKind, type Violation } from '../core/problem.js';
import { unsetPage } from './pages/pagination.js';
import { JSON_TYPE, sendJson } from './send-json.js';
import './state.js';

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  'bad-credentials': 500,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  stale: 412,
  'too-large': 413,
  unsupported: 415,
  'too-many': 429,
  unavailable: 503,
  full: 507,
} satisfies Record<ProblemKind, number>;

const CHALLENGE = 'Basic realm="Tracker Ledger", charset="UTF-8"';
const DEFAULT_RETRY_AFTER = 1;

export interface ErrorBody {
  readonly error: { readonly code: number; readonly message: string; readonly details?: readonly Violation[] };
}

export interface ProblemsOptions {
  readonly invalidCredentialsStatus: 500 | 401;
  readonly logger: Logger;
}

/** The only place where an error becomes a response, and where a body becomes text: neither can fail beyond it. */
export function problems({ invalidCredentialsStatus, logger }: ProblemsOptions): Middleware {
  const statuses = { ...STATUS, 'bad-credentials': invalidCredentialsStatus };
  const warn = unsupportedWarnings(logger);
  return async (ctx, next) => {
    try {
      await next();
      serialise(ctx);
    } catch (error) {
      unsetPage(ctx);
      if (error instanceof UnsupportedEvent) warn(error);
      if (error instanceof Problem) answer(ctx, error, statuses[error.kind]);
      else {
        logger.error({ err: error, requestId: ctx.state.requestId }, 'defect');
        ctx.state.failure = 'defect';
        refuse(ctx, 500);
      }
    }
  };
}

function answer(ctx: Context, problem: Problem, status: number): void {
  const { kind, message, retryAfter } = problem;
  // Wrong credentials are answered as the contract says, and are no failure of the service. Nor is a client that has left.
  if (status >= 500 && kind !== 'bad-credentials' && !ctx.res.closed) ctx.state.failure = reasonOf(problem);
  refuse(ctx, status, message, detailsOf(problem));
  if (retryAfter !== undefined || kind === 'too-many' || kind === 'unavailable') {
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(retryAfter ?? DEFAULT_RETRY_AFTER))));
  }
}

/** An invalid request has at least one: what names no part of the request is about the body as a whole. */
function detailsOf({ kind, message, details }: Problem): readonly Violation[] | undefined {
  return kind === 'invalid' ? (details ?? [{ pointer: '', message }]) : details;
}

/** So many streams are remembered. */
const MOST_WARNED = 1000;

/** One warning for each stream: clients may ask for it again and again. */
function unsupportedWarnings(logger: Logger): (error: UnsupportedEvent) => void {
  const warned = new Set<string>();
  return ({ stream, type, schema, revision, position }) => {
    if (warned.has(stream) || warned.size >= MOST_WARNED) return;
    warned.add(stream);
    logger.warn({ stream, type, schema, revision, position }, 'stream holds an event of a newer release, rejected');
  };
}

/** Answers with an error. Headers that were set before stay. */
export function refuse(ctx: Context, status: number, detail = '', details?: readonly Violation[]): void {
  if (status === 401) ctx.set('WWW-Authenticate', CHALLENGE);
  ctx.status = status;
  ctx.set('Content-Type', JSON_TYPE);
  ctx.body = JSON.stringify(errorBody(status, detail, details));
}

/** The methods of the path are in Allow. */
export const refuseMethod = (ctx: Context, method: string): void => {
  refuse(ctx, 405, `${method} is not allowed here`);
};

/** The reason phrase first, as clients of such services have come to expect. */
export function errorBody(code: number, detail = '', details: readonly Violation[] = []): ErrorBody {
  const reason = STATUS_CODES[code] ?? 'Error';
  const message = detail === '' ? reason : `${reason}: ${detail}`;
  return { error: { code, message, ...(details.length > 0 && { details }) } };
}

function serialise(ctx: Context): void {
  const body: unknown = ctx.body;
  if (body === undefined || body === null || body === '') {
    ctx.body = '';
    ctx.remove('Content-Type');
  } else if (isJson(body)) {
    sendJson(ctx, JSON.stringify(body));
  }
}

/** Texts, bytes and streams go out as they are. */
function isJson(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return typeof body !== 'string';
  return !(Buffer.isBuffer(body) || 'pipe' in body || body instanceof ReadableStream || body instanceof Blob);
}
