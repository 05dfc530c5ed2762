import { type Middleware } from 'koa';
import { type Logger } from 'pino';
import { withoutSecrets } from '../logging/logger.js';
import { isProbe } from './health.js';
import './state.js';

interface Served {
  readonly requestId: string;
  readonly method: string;
  /** Without secrets. */
  readonly path: string;
  readonly status: number;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly userId: number | null;
  /** Why the service failed. */
  readonly failure?: string | undefined;
  readonly address?: string;
}

/**
 * One line for each request: who asked for what, and how it went; at error level with the reason and where the request
 * came from, if the service failed. Never the query, which may hold what people wrote.
 */
export type RequestLog = (served: Served) => void;

export function requestLog(logger: Logger): RequestLog {
  // What stands in a line is fixed and holds no secret: looking for some costs more than the line.
  const requests = logger.child({}, { redact: [] });
  return ({ startedAt, failure, address, userId, ...served }) => {
    const unfailing = isProbe(served.path) ? 'debug' : 'info';
    requests[failure === undefined ? unfailing : 'error'](
      {
        ...served,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        userId,
        ...(failure !== undefined && { reason: withoutSecrets(failure), address }),
      },
      'request',
    );
  };
}

export function accessLog(log: RequestLog): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const { requestId, failure, address, userId = null } = ctx.state;
    const { method, status } = ctx;
    log({ requestId, method, path: withoutSecrets(ctx.path), status, startedAt, userId, failure, address });
  };
}
