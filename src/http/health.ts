import { type Middleware } from 'koa';
import { Problem } from '../core/problem.js';
import { errorBody } from './problems.js';

export interface Readiness {
  /** Until then the API is closed. */
  readonly started: boolean;
  /** Whether every request can be served by now. */
  readonly ready: boolean;
  /** For operators; nothing secret, as nobody has to sign in to read it. */
  readonly details: object;
}

const RETRY_AFTER_S = 1;

/** For those who watch the process: outside the API, for everyone, whatever the platform's settings say. */
export function health(readiness: () => Readiness): Middleware {
  return async (ctx, next) => {
    const probe = /^\/health\/(live|ready)\/?$/.exec(ctx.path)?.[1];
    if (probe === undefined || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    const { ready, details } = probe === 'live' ? { ready: true, details: {} } : readiness();
    if (ready) {
      ctx.body = { status: 'ok', details };
      return;
    }
    ctx.status = 503;
    ctx.set('Retry-After', String(RETRY_AFTER_S));
    ctx.body = { ...errorBody(503, 'not ready yet'), details };
  };
}

/** Nobody gets to read what is only half there. What is not there at all later is refused where it is needed. */
export function whenReady(readiness: () => Readiness): Middleware {
  return (_, next) => {
    if (readiness().started) return next();
    throw new Problem('unavailable', 'the service is starting', { retryAfter: RETRY_AFTER_S });
  };
}
