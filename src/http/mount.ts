import { Router } from '@koa/router';
import type Koa from 'koa';
import { type Context, type Middleware } from 'koa';
import { Problem } from '../core/problem.js';
import { withoutSecrets } from '../logging/logger.js';
import { type Cursors } from './pages/cursors.js';
import { queryOf } from './client/query.js';
import { type Decode } from './decode.js';
import { allowed } from './headers.js';
import { acceptsJson } from './negotiate.js';
import { continued, hasPages } from './pages/pagination.js';
import { refuse, refuseMethod } from './problems.js';
import { type Authenticate, type Route } from './route.js';
import { type Validate } from './validate.js';

export interface Steps<Viewer> {
  readonly decode: Decode;
  readonly cursors: Cursors;
  readonly authenticate: Authenticate<Viewer>;
  readonly validation: (route: Route) => Validate;
}

type Serve = (ctx: Context, params: Readonly<Record<string, string>>) => Promise<void>;

/** Mounts all routes under both prefixes. A path is matched once; its methods are looked up after that. */
export function mount<Viewer extends object>(app: Koa, routes: readonly Route<Viewer>[], steps: Steps<Viewer>): void {
  const router = new Router();
  for (const [path, group] of byPath(routes)) {
    const serve = new Map(group.map((route) => [route.method, served(route, steps)]));
    const allow = allowed(serve.keys());
    const answerHeaders = group.find((route) => route.answerHeaders !== undefined)?.answerHeaders;
    router.all(`/api{/v1}${path}`, async (ctx) => {
      ctx.res.setHeader('Allow', allow);
      ctx.res.setHeader('Access-Control-Allow-Methods', allow);
      if (answerHeaders !== undefined) ctx.set(await answerHeaders.of(null));
      await dispatch(ctx, ctx.params, serve);
    });
  }
  app.use(router.routes());
}

/** Of a path that is shown: other characters may mean something where the message ends up. */
const PLAIN_PATH = /^[\w\-.~/%[\]]{1,200}$/;

/** Ends the chain: a request that gets here has no route. */
export function unknownPath(): Middleware {
  return (ctx) => {
    const path = withoutSecrets(ctx.path);
    throw new Problem('not-found', `No such route${PLAIN_PATH.test(path) ? `: ${ctx.method} ${path}` : ''}`);
  };
}

async function dispatch(
  ctx: Context,
  params: Readonly<Record<string, string>>,
  serve: ReadonlyMap<string, Serve>,
): Promise<void> {
  if (ctx.method === 'OPTIONS') {
    ctx.status = 200;
    return;
  }
  const serveMethod = serve.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
  if (serveMethod === undefined) refuseMethod(ctx, ctx.method);
  else await serveMethod(ctx, params);
}

/**
 * The order of checks is part of the API: an unreadable body, then the credentials, then the shape. A route with
 * `shapeFirst` has its shape checked before the credentials. A long body is read, and a compressed one is decompressed,
 * only after authentication. Its sender is authenticated again after that.
 */
function served<Viewer extends object>(
  route: Route<Viewer>,
  { decode, authenticate, validation, cursors }: Steps<Viewer>,
): Serve {
  const validate = validation(route);
  const isList = hasPages(route.query);
  return async (ctx, params) => {
    let earlier: Viewer | undefined;
    const identify = async (): Promise<void> => {
      earlier = await authenticate(ctx, route.access);
    };
    const body = await decode(ctx, route, identify);
    if (!acceptsJson(ctx.get('Accept'))) {
      refuse(ctx, 406, 'Not acceptable; the service returns application/json');
      return;
    }
    const checked = () => validate({ params, query: queryOf(ctx), body });
    const early = route.shapeFirst === true ? checked() : undefined;
    const viewer = await authenticate(ctx, route.access, earlier);
    ctx.state.reader = { viewer, access: route.access };
    if (route.answerHeaders !== undefined) ctx.set(await route.answerHeaders.of(viewer));
    const valid = early ?? checked();
    const query = isList ? continued(ctx, cursors, valid.query, valid.body) : valid.query;
    ctx.status = 200;
    await route.handle({ ctx, viewer, ...valid, query });
  };
}

/** Fixed segments before parameters: `/users/self` is no user's id. */
export function byPath<R extends { readonly path: string }>(routes: readonly R[]): [string, R[]][] {
  const groups = new Map<string, R[]>();
  for (const route of routes) groups.set(route.path, [...(groups.get(route.path) ?? []), route]);
  const rank = (path: string): string => path.replaceAll(/:[^/]+/g, '\uffff');
  return [...groups].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}
