import { type Context, type Middleware } from 'koa';
import { Problem } from '../core/problem.js';
import { type DescribedRoute } from './openapi/described-route.js';
import { allowed } from './headers.js';
import { errorMember } from './openapi/errors.js';
import { described, header, NUMBER, objectOf, oneOf } from './openapi/response-schema.js';
import { errorBody, refuseMethod } from './problems.js';
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
const METHODS = allowed(['GET']);

const probeOf = (path: string): string | undefined => /^\/health\/(live|ready)\/?$/.exec(path)?.[1];

/** Asked every other second, and of no interest when all is well. */
export const isProbe = (path: string): boolean => probeOf(path) !== undefined;

/** For supervisors of the process: outside the API, and public under all settings of the platform. */
export function health(readiness: () => Readiness, mayReadDetails: MayReadDetails): Middleware {
  return async (ctx, next) => {
    const probe = probeOf(ctx.path);
    if (probe === undefined) {
      await next();
      return;
    }
    ctx.set({ Allow: METHODS, 'Access-Control-Allow-Methods': METHODS });
    if (!['GET', 'HEAD'].includes(ctx.method)) {
      if (ctx.method === 'OPTIONS') ctx.status = 200;
      else refuseMethod(ctx, ctx.method);
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

const DETAILS = described('What the process waits for, and the state of each projection, for site administrators', {
  type: 'object',
});
const okSchema = objectOf({ status: oneOf(OK.status), details: DETAILS }, ['details']);
const notReadySchema = objectOf({ error: errorMember, details: DETAILS }, ['details']);

const probe = { method: 'GET', access: 'public', sharedErrors: [431] } as const;
const TAG = { name: 'Health', description: 'What supervisors of processes ask.' };

/** For the API description. */
export const HEALTH: readonly DescribedRoute[] = [
  {
    ...probe,
    path: '/health/live',
    tag: TAG,
    summary: 'Get whether the process runs.',
    responses: { 200: { description: 'The process runs.', schema: okSchema } },
  },
  {
    ...probe,
    path: '/health/ready',
    tag: TAG,
    summary: 'Get whether the process can serve requests.',
    responses: {
      200: { description: 'The process can serve every request.', schema: okSchema },
      503: {
        description: 'The process cannot serve every request.',
        schema: notReadySchema,
        headers: { 'Retry-After': header('Seconds until another try may succeed', NUMBER) },
      },
    },
  },
];

/** For site administrators. If the user cannot be authenticated now, the readiness is answered nevertheless. */
export function forSiteAdministrators<Viewer extends Asker>(authenticate: Authenticate<Viewer>): MayReadDetails {
  return (ctx) =>
    authenticate(ctx, 'protected').then(
      ({ isSiteAdmin }) => isSiteAdmin(),
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
