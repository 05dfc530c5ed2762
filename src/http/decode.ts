import bodyParser from 'koa-bodyparser';
import { type Context, type Middleware } from 'koa';
import { Problem } from '../core/problem.js';
import { checkJson } from './json-limits.js';
import { type Route } from './route.js';

const BODY_LIMIT = 1_048_576;
const JSON_ESSENCE = /^application\/(?:[\w.-]+\+)?json$/;
const FORM_ESSENCE = 'application/x-www-form-urlencoded';

export type Decode = (ctx: Context, route: Pick<Route, 'method' | 'body' | 'form' | 'bodyLimit'>) => Promise<unknown>;

/** The body of a request, {} without one. A Problem when it cannot be read; whether it fits the route is not asked. */
export function decoding(): Decode {
  const json = jsonParsers();
  const form = bodyParser({ enableTypes: ['form'], formLimit: String(BODY_LIMIT) });

  return async (ctx, route) => {
    if (route.method === 'GET' && route.body === undefined) return {};
    if (!hasBody(ctx)) return {};
    const isForm = essence(ctx) === FORM_ESSENCE && route.form === true;
    if (!isForm) checkType(ctx);
    const limit = limitOf(route);
    await parse(isForm ? form : json(limit), ctx, limit);
    const { body, rawBody } = ctx.request;
    checkJson(body, typeof rawBody === 'string' ? rawBody : '');
    return body;
  };
}

const limitOf = ({ bodyLimit = BODY_LIMIT }: Pick<Route, 'bodyLimit'>): number => bodyLimit;

/** One parser for each limit. */
function jsonParsers(): (limit: number) => Middleware {
  const parsers = new Map<number, Middleware>();
  return (limit) => {
    const parser = parsers.get(limit) ?? bodyParser(jsonOptions(limit));
    parsers.set(limit, parser);
    return parser;
  };
}

/**
 * New each time, because the parser takes away from what it is given. `__proto__` and its like are names of members as
 * any others: nothing here copies members by assignment.
 */
function jsonOptions(limit: number) {
  return {
    enableTypes: ['json'],
    detectJSON: () => true,
    jsonLimit: String(limit),
    onProtoPoisoning: 'ignore',
  };
}

function hasBody(ctx: Context): boolean {
  return ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length')) > 0;
}

function essence(ctx: Context): string {
  return (ctx.get('Content-Type').split(';')[0] ?? '').trim().toLowerCase();
}

/** A body without a type is taken for JSON. */
function checkType(ctx: Context): void {
  const type = essence(ctx);
  if (type !== '' && !JSON_ESSENCE.test(type)) {
    throw new Problem('unsupported', 'the body has to be application/json');
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(ctx.get('Content-Type'))?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported', 'JSON is written in UTF-8');
  }
}

async function parse(parser: Middleware, ctx: Context, limit: number): Promise<void> {
  try {
    await parser(ctx, () => Promise.resolve());
  } catch (error) {
    throw translated(error, limit);
  }
}

function translated(error: unknown, limit: number): unknown {
  if (!(error instanceof Error)) return error;
  const status = 'status' in error ? error.status : undefined;
  if (status === 413) return new Problem('too-large', `a body holds at most ${limit} bytes`);
  if (status === 415) return new Problem('unsupported', 'the encoding of the body is not known here');
  if (error instanceof SyntaxError) return new Problem('invalid', 'the body is not JSON (an object or an array)');
  return status === 400 || isZlibError(error) ? new Problem('invalid', 'the body cannot be read') : error;
}

function isZlibError(error: Error): boolean {
  return 'code' in error && /^Z_/.test(String(error.code));
}
