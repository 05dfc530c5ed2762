import { type Context } from 'koa';
import { header } from './openapi/response-schema.js';
import './state.js';

/** Of the answers that name what a request made. */
export const LOCATION = { Location: header('The address of the new resource') };

/** The two names of the one set of routes. */
export const PREFIXES = ['/api', '/api/v1'] as const;

/** The prefix that the request used. */
function prefixOf(ctx: Context): string {
  return /^\/api\/v1(\/|$)/i.test(ctx.path) ? '/api/v1' : '/api';
}

/** Location of what a request made; `uri` as in representations, without a prefix: `artifacts/42`. */
export function setLocation(ctx: Context, uri: string): void {
  ctx.set('Location', `${ctx.state.origin}${prefixOf(ctx)}/${uri}`);
}
