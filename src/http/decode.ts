import { Readable } from 'node:stream';
import { type SchemaObject } from 'ajv';
import { type Context } from 'koa';
import { othersTurn } from '../core/concurrency/others-turn.js';
import { Problem } from '../core/problem.js';
import { holdingBodies } from './body/held-bodies.js';
import { checkJson } from './body/json-limits.js';
import { isOptionalBody } from './body/optional-body.js';
import { readBody } from './body/read-body.js';
import { networkOf } from './client/ip-address.js';
import { goneOf } from './gone.js';
import { type Route } from './route.js';
import './state.js';

const BODY_LIMIT = 1_048_576;
const FORM_LIMIT = 65_536;
const JSON_ESSENCE = /^application\/(?:[\w.-]+\+)?json$/;
const FORM_ESSENCE = 'application/x-www-form-urlencoded';

/** `identify` is called before a long body is read, and before any is decompressed: what it throws is the answer then. */
export type Decode = (
  ctx: Context,
  route: Pick<Route, 'method' | 'body' | 'form' | 'bodyLimit'>,
  identify: () => Promise<unknown>,
) => Promise<unknown>;

/** The body of a request, {} without one. Throws a Problem if it cannot be read. The schema is checked later. */
export function decoding(): Decode {
  const form = formIn();
  const hold = holdingBodies();
  return async (ctx, route, identify) => {
    if (route.method === 'GET' && route.body === undefined) return {};
    if (!hasBody(ctx)) return {};
    const network = networkOf(ctx.state.address);
    const holdThis = (bytes: number, isLastResort: boolean): boolean =>
      hold(ctx.res, bytes, { userId: ctx.state.userId ?? null, network }, isLastResort);
    const read = (kind: 'body' | 'form', limit: number) =>
      readBody(ctx.req, { kind, limit, identify, hold: holdThis, gone: () => goneOf(ctx) });
    if (essence(ctx) === FORM_ESSENCE && route.form === true) return form(ctx, await read('form', FORM_LIMIT));
    checkType(ctx);
    return object(await parsed(await read('body', route.bodyLimit ?? BODY_LIMIT)), route);
  };
}

/** In characters: of what is longer, each step takes long. */
const LONG = 65_536;

/** Of a long text others have their turn between the steps. */
async function parsed(text: string): Promise<unknown> {
  if (text === '') return {};
  checkJson(text);
  if (text.length > LONG) await othersTurn();
  const value = parsedJson(text);
  if (text.length > LONG) await othersTurn();
  return value;
}

/** `__proto__` and its like are names of members as any others: nothing here copies members by assignment. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Problem('invalid', 'The body is not valid JSON');
  }
}

/** Some clients send null for a body that they leave out. */
function object(value: unknown, { body }: Pick<Route, 'body'>): object {
  if (value === null && (body === undefined || isOptionalBody(body))) return {};
  if (typeof value === 'object' && value !== null) return value;
  throw new Problem('invalid', `the body must be ${takesList(body) ? 'an object or an array' : 'an object'}`);
}

/** An empty list alone stands for an empty object. */
const takesList = (body: SchemaObject | undefined): boolean =>
  [body?.['type']].flat().includes('array') && body?.['maxItems'] !== 0;

function formIn(): (ctx: Context, text: string) => Promise<unknown> {
  // Loaded at the first form: few clients send any.
  const parser = async () => {
    const { default: bodyParser } = await import('koa-bodyparser');
    return bodyParser({ enableTypes: ['form'], formLimit: String(FORM_LIMIT) });
  };
  let parse: ReturnType<typeof parser> | undefined;
  return async (ctx, text) => {
    parse ??= parser();
    const parsing = await parse;
    // The parser would decompress the body while it comes.
    const req = Object.assign(Readable.from([Buffer.from(text)]), { headers: {} });
    await parsing(Object.create(ctx, { req: { value: req } }) as Context, () => Promise.resolve());
    return ctx.request.body;
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
    throw new Problem('unsupported', 'Unsupported Content-Type; send application/json');
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(ctx.get('Content-Type'))?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported', 'Unsupported charset for JSON; use UTF-8');
  }
}
