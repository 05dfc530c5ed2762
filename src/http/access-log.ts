import { type Middleware } from 'koa';
import { type Logger } from 'pino';
import { withoutSecrets } from '../logging/logger.js';
import { isProbe } from './health.js';
import './state.js';

/**
 * One line for each request: who asked for what, and how it went; at error level with the reason and where the request
 * came from, if the service failed. Never the query, which may hold what people wrote.
 */
export function accessLog(logger: Logger): Middleware {
  // What stands in a line is fixed and holds no secret: looking for some costs more than the line.
  const requests = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const { failure, address } = ctx.state;
    const unfailing = isProbe(ctx.path) ? 'debug' : 'info';
    requests[failure === undefined ? unfailing : 'error'](
      {
        requestId: ctx.state.requestId,
        method: ctx.method,
        path: withoutSecrets(ctx.path),
        status: ctx.status,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        userId: ctx.state.userId ?? null,
        ...(failure !== undefined && { reason: withoutSecrets(failure), address }),
      },
      'request',
    );
  };
}
