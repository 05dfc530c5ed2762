import { type Middleware } from 'koa';
import { type Logger } from 'pino';
import { withoutSecrets } from '../log.js';
import { isProbe } from './health.js';
import './state.js';

/** One line for each request: who asked for what, and how it went. Never the query, which may hold what people wrote. */
export function accessLog(logger: Logger): Middleware {
  // What stands in a line is fixed and holds no secret: looking for some costs more than the line.
  const requests = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    requests[isProbe(ctx.path) ? 'debug' : 'info'](
      {
        requestId: ctx.state.requestId,
        method: ctx.method,
        path: withoutSecrets(ctx.path),
        status: ctx.status,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        userId: ctx.state.userId ?? null,
      },
      'request',
    );
  };
}
