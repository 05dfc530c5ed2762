/** Routes that deal with requests and bytes themselves: downloads, resumable uploads, pages for people. */
import { Router } from '@koa/router';
import type Koa from 'koa';
import { type Context } from 'koa';
import { type DescribedRoute } from './openapi/described-route.js';
import { allowed } from './headers.js';
import { refuseMethod } from './problems.js';
import { type Access, type Authenticate, type Headers } from './route.js';

export interface BareRequest<Viewer> {
  readonly ctx: Context;
  readonly params: Readonly<Record<string, string>>;
  readonly viewer: Viewer;
  /** Throws if the credentials no longer hold: to be called before the bytes of a long body are kept. */
  readonly stillAllowed: () => Promise<unknown>;
}

export interface BareRoute<Viewer> {
  /** From the root, parameters with a colon. */
  readonly path: string;
  readonly access: Access;
  /** By method; HEAD is answered by GET's where it has none of its own. Without any, the path answers OPTIONS alone. */
  readonly methods: Readonly<Record<string, (request: BareRequest<Viewer>) => Promise<void>>>;
  /** Of every answer, errors and OPTIONS included. */
  readonly headers?: Headers;
  /** By method, what the API description says. Null: a page for people, which is no part of the API. */
  readonly described: Readonly<Record<string, BareDescription>> | null;
}

type BareDescription = Omit<DescribedRoute, 'method' | 'path' | 'access'>;

export const describedOf = (routes: readonly BareRoute<never>[]): readonly DescribedRoute[] =>
  routes.flatMap(({ path, access, described }) =>
    Object.entries(described ?? {}).map(([method, description]) => ({ ...description, method, path, access })),
  );

export function mountBare<Viewer>(
  app: Koa,
  routes: readonly BareRoute<Viewer>[],
  authenticate: Authenticate<Viewer>,
): void {
  const router = new Router();
  for (const route of routes) {
    const { path, access, headers = {} } = route;
    const methods = new Map(Object.entries(route.methods));
    const allow = allowed(methods.keys());
    router.all(path, async (ctx) => {
      ctx.set({ Allow: allow, 'Access-Control-Allow-Methods': allow, ...headers });
      ctx.compress = false;
      const { method } = ctx;
      ctx.status = 200;
      if (method === 'OPTIONS') return;
      const handle = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);
      if (handle === undefined) {
        refuseMethod(ctx, method);
        return;
      }
      const viewer = await authenticate(ctx, access);
      await handle({ ctx, params: ctx.params, viewer, stillAllowed: () => authenticate(ctx, access, viewer) });
    });
  }
  app.use(router.routes());
}
