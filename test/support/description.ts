/** Holds what a service answers against its own description of the API. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Exchange {
  readonly method: string;
  /** From the root. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for an empty body. Left out: it is not looked at. */
  readonly body?: unknown;
}

interface Content {
  readonly content?: Readonly<Record<string, unknown>>;
}

interface DescribedResponse extends Content {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly required: boolean }>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

type PathItem = Readonly<Record<string, Operation>> & { readonly servers?: unknown };

export interface Description {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> };
}

/** Of every answer: CORS, caches and the transfer itself. */
const STANDING =
  /^(access-control-.*|cache-control|expires|vary|x-content-type-options|content-(type|length|encoding)|date|connection|keep-alive|transfer-encoding)$/;

/** Node itself answers this, before the service sees a request. */
const OF_NODE = [417];

/** For people: no part of the API. */
const PAGE = /^\/((api(\/v1)?\/explorer|documentation)(\/.*)?)?$/i;

const patternOf = (path: string): string =>
  path === '/' ? '' : path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Throws where an answer is not as the description has it. Schemas are compiled when they are met first. */
export function descriptionCheck(description: Description): (exchange: Exchange) => void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false }).addSchema(
    description,
    'api',
  );
  const compiled = new Map<string, ValidateFunction>();
  const patterns = Object.entries(description.paths).map(([path, { servers }]) => ({
    path,
    pattern: new RegExp(`^${servers === undefined ? '/api(/v1)?' : ''}${patternOf(path)}/?$`, 'i'),
  }));

  function check(value: unknown, ...pointer: readonly string[]): void {
    const ref = `api#/${pointer.map(escaped).join('/')}`;
    const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref });
    compiled.set(ref, validate);
    if (validate(value)) return;
    const deepest = (validate.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    const faults = deepest.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(`${ref}\n${faults.slice(0, 8).join('\n')}\n${JSON.stringify({ value }).slice(0, 2000)}`);
  }

  function pathOf(asked: string): string {
    const plain = asked
      .split('?', 1)
      .join('')
      .replaceAll(/\/{2,}/g, '/');
    return patterns.find(({ pattern }) => pattern.test(plain))?.path ?? '';
  }

  function checkUnknown({ path, status, body }: Exchange): void {
    if (status < 400 && !PAGE.test(path)) throw new Error('answered without a description');
    if (status >= 400 && body !== undefined) check(body, 'components', 'schemas', 'Error');
  }

  function checkBody(exchange: Exchange, { content }: DescribedResponse, place: readonly string[]): void {
    if (exchange.method === 'HEAD' || !('body' in exchange)) return;
    if (content === undefined && exchange.body !== undefined) throw new Error('has a body that is not described');
    if (content?.['application/json'] !== undefined)
      check(exchange.body, ...place, 'content', 'application/json', 'schema');
  }

  function checkOperation(exchange: Exchange, path: string, method: string, operation: Operation): void {
    const described = operation.responses[exchange.status];
    if (described === undefined) throw new Error(`the status is not described: ${JSON.stringify(exchange.body)}`);
    const shared = described.$ref?.split('/').at(-1);
    const response = shared === undefined ? described : description.components.responses[shared]!;
    checkHeaders(exchange.headers, response);
    const own = ['paths', path, method, 'responses', String(exchange.status)];
    checkBody(exchange, response, shared === undefined ? own : ['components', 'responses', shared]);
  }

  function checkKnown(exchange: Exchange): void {
    const { method, status, path: asked } = exchange;
    if (method === 'OPTIONS' && status === 200) return;
    const path = pathOf(asked);
    const item = OF_NODE.includes(status) ? {} : (description.paths[path] ?? {});
    const own = method.toLowerCase();
    const known = own === 'head' && item[own] === undefined ? 'get' : own;
    const operation = item[known];
    if (operation === undefined) checkUnknown({ ...exchange, path: asked });
    else checkOperation(exchange, path, known, operation);
  }

  return (exchange) => {
    try {
      checkKnown(exchange);
    } catch (error) {
      const { method, path, status } = exchange;
      throw new Error(`${method} ${path} ${status} is not as described: ${String(error)}`, { cause: error });
    }
  };
}

function checkHeaders(headers: Headers, { headers: described = {} }: DescribedResponse): void {
  const missing = Object.keys(described).filter((name) => described[name]!.required && !headers.has(name));
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
  const others = [...headers.keys()].filter((name) => !names.has(name) && !STANDING.test(name));
  if (missing.length > 0) throw new Error(`lacks the headers ${missing.join(', ')}`);
  if (others.length > 0) throw new Error(`has headers that are not described: ${others.join(', ')}`);
}

type Check = (exchange: Exchange) => void;

/** By text of a description: releases differ, and many services of one process are of one release. */
const checks = new Map<string, Check>();
/** By origin. Null: there is no description, as of an application of toy routes. */
const origins = new Map<string, Check | null>();

const plainFetch = globalThis.fetch;

/** Resolves when the answer is as its service describes it. Answers of a service that cannot be asked are not checked. */
export async function checkExchange(origin: string, exchange: Exchange): Promise<void> {
  const known = origins.get(origin);
  if (known === undefined) await learn(origin);
  try {
    origins.get(origin)?.(exchange);
  } catch (error) {
    // Another service may have the port by now.
    if (known === undefined || !(await learn(origin))) throw error;
    origins.get(origin)?.(exchange);
  }
}

/** Whether the origin answers what its description is, or that there is none. */
async function learn(origin: string): Promise<boolean> {
  try {
    const response = await plainFetch(`${origin}/api/openapi.json`);
    const text = await response.text();
    if (response.status !== 200 && response.status !== 404) return false;
    origins.set(origin, response.status === 200 ? checkFor(text) : null);
    return true;
  } catch {
    return false;
  }
}

function checkFor(text: string): Check {
  const check = checks.get(text) ?? descriptionCheck(JSON.parse(text) as Description);
  checks.set(text, check);
  return check;
}

const methodOf = ({ method = 'GET', headers }: RequestInit = {}): string =>
  methodMeant(method, new Headers(headers).get('X-HTTP-Method-Override'));

/** POST may stand for another method. */
export const methodMeant = (method: string, named: unknown): string =>
  method === 'POST' && /^(put|patch|delete)$/i.test(String(named)) ? String(named).toUpperCase() : method;

/** `fetch` that checks each answer: status and headers at once, a text or JSON when it is read. */
export async function checkedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
  const response = await plainFetch(...args);
  const method = methodOf(args[1]);
  const { origin, pathname: path } = new URL(response.url);
  const { status, headers } = response;
  const exchange = { method, path, status, headers };
  await checkExchange(origin, exchange);
  const readText = response.text.bind(response);
  const text = async (): Promise<string> => {
    const read = await readText();
    const isJson = headers.get('content-type')?.startsWith('application/json') === true && read !== '';
    if (origins.get(origin) && (isJson || read === '')) {
      await checkExchange(origin, { ...exchange, body: isJson ? (JSON.parse(read) as unknown) : undefined });
    }
    return read;
  };
  return Object.assign(response, { text, json: async (): Promise<unknown> => JSON.parse(await text()) as unknown });
}
