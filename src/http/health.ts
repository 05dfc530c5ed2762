import { type Context, type Middleware } from 'koa';
import { Problem } from '../core/problem.js';
import { errorBody } from './problems.js';
import { type Asker, type Authenticate } from './route.js';

export interface Readiness {
  /** Until then the API is closed. */
  readonly started: boolean;
  /** Whether every request can be served by now. */
  readonly ready: boolean;
  /** For operators: it names streams, events and servers. */
  readonly details: object;
}

export type MayReadDetails = (ctx: Context) => Promise<boolean>;

const RETRY_AFTER_S = 1;

const probeOf = (path: string): string | undefined => /^\/health\/(live|ready)\/?$/.exec(path)?.[1];

/** Asked every other second, and of no interest when all is well. */
export const isProbe = (path: string): boolean => probeOf(path) !== undefined;

/** For supervisors of the process: outside the API, and public under all settings of the platform. */
export function health(readiness: () => Readiness, mayReadDetails: MayReadDetails): Middleware {
  return async (ctx, next) => {
    const probe = probeOf(ctx.path);
    if (probe === undefined || !['GET', 'HEAD'].includes(ctx.method)) {
      await next();
      return;
    }
    if (probe === 'live') {
      ctx.body = OK;
      return;
    }
    const { ready, details } = readiness();
    ctx.body = { ...(ready ? OK : errorBody(503, 'not ready yet')), ...((await mayReadDetails(ctx)) && { details }) };
    if (ready) return;
    ctx.status = 503;
    ctx.set('Retry-After', String(RETRY_AFTER_S));
  };
}

const OK = { status: 'ok' };

/** For site administrators. If the user cannot be authenticated now, the readiness is answered nevertheless. */
export function forSiteAdministrators(authenticate: Authenticate<Asker>): MayReadDetails {
  return (ctx) =>
    authenticate(ctx, 'protected').then(
      ({ isSiteAdmin }) => isSiteAdmin,
      (error: unknown) => {
        if (error instanceof Problem) return false;
        throw error;
      },
    );
}

/**
 * Readers never see half-filled read models. A service that has started stays so, and is not asked again. What is not
 * there at all later is refused where it is needed.
 */
export function whenReady(readiness: () => Readiness): Middleware {
  let isOpen = false;
  return (_, next) => {
    isOpen ||= readiness().started;
    if (isOpen) return next();
    throw new Problem('unavailable', 'The service is starting; retry later', { retryAfter: RETRY_AFTER_S });
  };
}
