import { type Middleware } from 'koa';

const METHODS: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** A client whose proxy lets no other method through sends POST, and names the method in a header. */
export const methodOverride = (): Middleware => (ctx, next) => {
  const method = ctx.get('X-HTTP-Method-Override').toUpperCase();
  if (ctx.method === 'POST' && METHODS.has(method)) ctx.method = method;
  return next();
};
