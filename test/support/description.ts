/** Holds what a service answers against its own description of the API. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Exchange {
  readonly method: string;
  /** From the root. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined for an empty body. */
  readonly body: unknown;
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

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> };
}

/** Of every answer: CORS, caches and the transfer itself. */
const STANDING =
  /^(access-control-.*|cache-control|expires|vary|x-content-type-options|content-(type|length|encoding)|date|connection|keep-alive|transfer-encoding)$/;

/** Node itself answers these, before the service sees a request. */
const OF_NODE = [408, 417, 431];

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Throws where an answer is not as the description has it. Schemas are compiled when they are met first. */
export function descriptionCheck(description: Description): (exchange: Exchange) => void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false }).addSchema(
    description,
    'api',
  );
  const compiled = new Map<string, ValidateFunction>();
  const patterns = Object.keys(description.paths).map((path) => ({
    path,
    pattern: new RegExp(`^/api(/v1)?${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
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
    const [plain = ''] = asked.split('?');
    return patterns.find(({ pattern }) => pattern.test(plain))?.path ?? '';
  }

  function checkUnknown({ status, body }: Exchange): void {
    if (status < 400) throw new Error('answered without a description');
    if (body !== undefined) check(body, 'components', 'schemas', 'Error');
  }

  function checkBody({ method, body }: Exchange, { content }: DescribedResponse, place: readonly string[]): void {
    if (method === 'HEAD') return;
    if (content !== undefined) check(body, ...place, 'content', 'application/json', 'schema');
    else if (body !== undefined) throw new Error('has a body that is not described');
  }

  function checkOperation(exchange: Exchange, path: string, method: string, operation: Operation): void {
    const described = operation.responses[exchange.status];
    if (described === undefined) throw new Error(`the status is not described: ${JSON.stringify(exchange.body)}`);
    const shared = described.$ref?.split('/').at(-1);
    const response = shared === undefined ? described : description.components.responses[shared]!;
    checkHeaders(exchange.headers, response, operation);
    const own = ['paths', path, method, 'responses', String(exchange.status)];
    checkBody(exchange, response, shared === undefined ? own : ['components', 'responses', shared]);
  }

  function checkKnown(exchange: Exchange): void {
    const { method, status, path: asked } = exchange;
    if (method === 'OPTIONS' && status === 200) return;
    const path = pathOf(asked);
    const known = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = OF_NODE.includes(status) ? undefined : description.paths[path]?.[known];
    if (operation === undefined) checkUnknown(exchange);
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

/** An error may have the headers of a success. */
function checkHeaders(
  headers: Headers,
  { headers: described = {} }: DescribedResponse,
  { responses }: Operation,
): void {
  const missing = Object.keys(described).filter((name) => described[name]!.required && !headers.has(name));
  const all = [described, ...Object.values(responses).map((response) => response.headers ?? {})];
  const names = new Set(all.flatMap((each) => Object.keys(each)).map((name) => name.toLowerCase()));
  const others = [...headers.keys()].filter((name) => !names.has(name) && !STANDING.test(name));
  if (missing.length > 0) throw new Error(`lacks the headers ${missing.join(', ')}`);
  if (others.length > 0) throw new Error(`has headers that are not described: ${others.join(', ')}`);
}

let known: ((exchange: Exchange) => void) | undefined;

/** The description comes from the first service of the process that serves one: all are of one release. */
export async function checkExchange(url: string, exchange: Exchange): Promise<void> {
  known ??= await fetchedCheck(url);
  known?.(exchange);
}

async function fetchedCheck(url: string) {
  try {
    const response = await fetch(`${url}/api/openapi.json`);
    return response.ok ? descriptionCheck((await response.json()) as Description) : undefined;
  } catch {
    return undefined;
  }
}
