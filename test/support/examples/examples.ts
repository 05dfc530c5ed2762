/** `npm run examples`: writes the examples of the API description, as the demo platform answers. The clock stands. */
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fillDemo } from '../../../src/demo/demo.js';
import { DEMO_PASSWORD } from '../../../src/demo/demo-platform.js';
import { type ApiExamples, type OperationExamples } from '../../../src/http/openapi/examples.js';
import { operations } from '../../../src/operations/operations.js';
import { exchange } from '../../e2e/api/exchange.js';
import { runService } from '../service.js';
import { described, REQUEST_ID, type DescribedOperation } from './described.js';
import { hindered, unfinished, type Hindered } from './hindered.js';
import { exampleRequests, type ExampleRequest } from './requests.js';
import { sourceOf } from './source.js';

const EXAMPLES_FILE = fileURLToPath(new URL('../../../src/composition/generated/api-examples.ts', import.meta.url));

const NOW = new Date('2026-11-24T08:00:00Z');

export async function apiExamples(): Promise<ApiExamples> {
  const env = { PUBLIC_URL: 'https://tracker.example.org' };
  const running = await runService({ platform: '{}', env, clock: () => NOW });
  try {
    const { service, serving, url } = running;
    const commands = operations(service, serving.passwords);
    await fillDemo(serving.config, service, commands, new AbortController().signal);
    const { origins, close } = await hindered(running);
    const examples = await examplesAt(url, origins, exampleRequests(running));
    await close();
    return JSON.parse(withoutSecrets(JSON.stringify(examples))) as ApiExamples;
  } finally {
    await running.stop();
  }
}

async function examplesAt(
  url: string,
  hindrances: Hindered['origins'],
  requests: readonly ExampleRequest[],
): Promise<ApiExamples> {
  const operationNamed = await described(url);
  const examples: Record<string, OperationExamples> = {};
  let [cursor, token] = ['', ''];
  for (const given of requests) {
    const request = { ...given, path: given.path.replace('CURSOR', cursor).replace('TOKEN', token) };
    const operation = operationNamed(request.of === 'shared' ? sharedBy(request) : request.of);
    const response = await lastAnswer(request, operation, request.at === undefined ? url : hindrances[request.at]);
    const example = await exampleOf(request, response);
    examples[request.of] = added(examples[request.of], request, operation, example);
    token = example.token ?? token;
    cursor = cursorOf(response) ?? cursor;
  }
  return examples;
}

const cursorOf = ({ headers }: Response): string | undefined => /cursor=([^&>]+)/.exec(headers.get('Link') ?? '')?.[1];

async function lastAnswer(request: ExampleRequest, operation: DescribedOperation, origin: string): Promise<Response> {
  const nth = (number: number) => answered(numbered(request, number), operation, origin);
  const { times = 1 } = request;
  for (let sent = 1; sent < times; sent += 1) await nth(sent);
  return nth(times);
}

const numbered = (request: ExampleRequest, number: number): ExampleRequest => ({
  ...request,
  ...(request.body !== undefined && {
    body: JSON.parse(JSON.stringify(request.body).replaceAll('NUMBER', String(number))) as unknown,
  }),
});

/** An operation that can be answered with the error. */
const sharedBy = ({ body, status }: ExampleRequest): string =>
  body !== undefined ? 'postSvn' : status === 200 ? 'getTrackersIdArtifacts' : 'getProjects';

interface Example {
  readonly status: number;
  readonly body?: unknown;
  /** Of a sign-in. */
  readonly token?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What came first stays. */
function added(
  { parameters, body, answers }: OperationExamples = { answers: {} },
  request: ExampleRequest,
  operation: DescribedOperation,
  { status, body: answer, headers }: Example,
): OperationExamples {
  const isAsked = status < 400;
  const sent = body ?? (isAsked ? (request.bytes ?? request.body) : undefined);
  return {
    parameters: { ...(isAsked && operation.parametersOf(request)), ...parameters },
    ...(sent !== undefined && { body: sent }),
    answers: { [status]: { ...(answer !== undefined && { body: answer }), headers }, ...answers },
  };
}

function answered(request: ExampleRequest, { method, prefix }: DescribedOperation, origin: string): Promise<Response> {
  const { path, body, bytes, at } = request;
  const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const all = headersTo(request);
  const url = `${origin}${prefix}${path}`;
  if (at === 'impatient') return unfinished(method, url, all);
  if (method === 'GET' && sent !== undefined) return answeredWithBody(url, all, sent);
  return fetch(url, { method, headers: all, ...(sent !== undefined && { body: sent }) });
}

function headersTo({ as, body, headers }: ExampleRequest): Readonly<Record<string, string>> {
  const credentials = Buffer.from(`${as}:${DEMO_PASSWORD}`).toString('base64');
  return {
    'X-Request-Id': REQUEST_ID,
    ...(as !== undefined && { Authorization: `Basic ${credentials}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

/** `fetch` sends no body with GET. */
async function answeredWithBody(url: string, headers: Readonly<Record<string, string>>, body: string) {
  const { status, text, names, header } = await exchange('GET', new URL(url).href, { headers, body });
  return new Response(text, { status, headers: names.map((name): [string, string] => [name, header(name) ?? '']) });
}

async function exampleOf({ of, path, status }: ExampleRequest, response: Response): Promise<Example> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${of} ${path} is answered ${response.status}: ${text}`);
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  const body = isJson && text !== '' ? (JSON.parse(text) as unknown) : text;
  return {
    status,
    ...(of === 'postTokens' && { token: (body as { readonly token: string }).token }),
    ...(text !== '' && { body: of === 'getOpenapiJson' ? beginningOf(body as DescriptionBody) : body }),
    headers: headersOf(response, of),
  };
}

interface DescriptionBody {
  readonly openapi: unknown;
  readonly info: unknown;
  readonly servers: unknown;
}

/** The whole description would have itself as a part. */
const beginningOf = ({ openapi, info, servers }: DescriptionBody): object => ({ openapi, info, servers, paths: {} });

const headersOf = ({ headers }: Response, of: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries([...headers].filter(([name]) => !STANDING.test(name))),
  // The examples are part of the text that has the tag.
  ...(of === 'getOpenapiJson' && { etag: '"kIdjNYnqI9KCdHp6uXKANXhWeuVVlm9yZJmFgxkASo4"' }),
});

/** Of every answer, whatever the route. */
const STANDING =
  /^(access-control-|cache-control|expires|vary|x-content-type|content-(type|length|encoding)|date|connection|keep-alive|transfer-)/;

/** They are others in each run. */
const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl')
    .replaceAll(/tlp-k1-101\.\w+/g, 'tlp-k1-101.3e2f0c6b7d')
    .replaceAll(/(cursor(?:=|":"))[\w.%-]+/g, '$1cGxhY2U.c2lnbmF0dXJl');

function fileOf(examples: ApiExamples): string {
  const { constants, value } = sourceOf(examples);
  return `/** Made by \`npm run examples\`. */
import { type ApiExamples } from '../../http/openapi/examples.js';

${constants}
export const API_EXAMPLES: ApiExamples = ${value};
`;
}

if (pathToFileURL(argv[1] ?? '').href === import.meta.url) {
  writeFileSync(EXAMPLES_FILE, fileOf(await apiExamples()));
}
