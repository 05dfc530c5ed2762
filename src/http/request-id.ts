import { randomUUID } from 'node:crypto';
import { type Middleware } from 'koa';
import './state.js';

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** Keeps the caller's id, so that one search finds a request in the logs of all services it went through. */
export const requestIdOf = (given = ''): string => (SANE.test(given) ? given : randomUUID());

export function requestId(): Middleware {
  return (ctx, next) => {
    const id = requestIdOf(ctx.get('X-Request-Id'));
    ctx.state.requestId = id;
    ctx.set('X-Request-Id', id);
    return next();
  };
}
