/** What a client means by a request that it, or a proxy, writes in another way. */
import { type Middleware } from 'koa';

const METHODS: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

export const asMeant = (): Middleware => (ctx, next) => {
  // A proxy may let no other method through: the client sends POST, and names the method in a header.
  const method = ctx.get('X-HTTP-Method-Override').toUpperCase();
  if (ctx.method === 'POST' && METHODS.has(method)) ctx.method = method;
  if (ctx.path.includes('//')) ctx.path = pathAsMeant(ctx.path);
  return next();
};

/** A client may append its paths to an address that ends in a slash. */
export const pathAsMeant = (path: string): string => path.replaceAll(/\/{2,}/g, '/');
