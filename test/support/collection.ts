/** `npm run collection`: writes the requests of docs/api.http, for editors that send them, from the API description. */
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runService } from './service.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly example?: string | number;
  readonly schema: { readonly examples?: readonly [string | number] };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

interface Described {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>> & { readonly servers?: unknown }>>;
}

export const COLLECTION_FILE = fileURLToPath(new URL('../../docs/api.http', import.meta.url));

const HEADING = `# Each route with an example, for the REST clients of editors (VS Code, JetBrains) and for Bruno and Postman, which import
# the file or /api/openapi.json. Send "signIn" first. Made by \`npm run collection\`.

@host = http://127.0.0.1:8080
@username = alice
@password = tracker-ledger

### Sign in.
# @name signIn
POST {{host}}/api/tokens
Content-Type: application/json

{"username": "{{username}}", "password": "{{password}}"}
`;

const SIGNED_IN = [
  'X-Auth-UserId: {{signIn.response.body.$.user_id}}',
  'X-Auth-Token: {{signIn.response.body.$.token}}',
];

/** Grouped as the description is. */
export function collectionOf({ tags, paths }: Described): string {
  const requests = Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      text: requestOf(method.toUpperCase(), `{{host}}${servers === undefined ? '/api' : ''}${path}`, operation),
    })),
  );
  const groups = tags.map(({ name }) => requests.filter(({ tag }) => tag === name).map(({ text }) => text));
  return [HEADING, ...groups.flat()].join('\n');
}

function requestOf(
  method: string,
  url: string,
  { summary, operationId, security, parameters, requestBody }: Operation,
) {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isSigned = security.length > 0;
  const headers = parameters.filter((each) => each.in === 'header' && (each.required || each.name === 'If-Match'));
  const lines = [
    `### ${summary}`,
    `# @name ${operationId}`,
    `${method} ${addressOf(url, parameters)}`,
    ...(isSigned ? SIGNED_IN : []),
    ...headers.map((each) => `${each.name}: ${exampleOf(each)}`),
    ...(type === undefined || method === 'GET' ? [] : [`Content-Type: ${type}`, '', textOf(media?.example)]),
  ];
  return `${lines.join('\n')}\n`;
}

const exampleOf = ({ example, schema }: Parameter): string => String(example ?? schema.examples?.[0]);

function addressOf(url: string, parameters: readonly Parameter[]): string {
  const inPath = parameters.filter((each) => each.in === 'path');
  const path = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), url);
  const query = parameters.filter((each) => each.in === 'query' && (each.required || each.name === 'query'));
  const search = query.map((each) => `${each.name}=${encodeURIComponent(exampleOf(each))}`).join('&');
  return search === '' ? path : `${path}?${search}`;
}

const textOf = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example, null, 2));

export async function collection(): Promise<string> {
  const api = await runService();
  try {
    const response = await fetch(`${api.url}/api/openapi.json`);
    return collectionOf((await response.json()) as Described);
  } finally {
    await api.stop();
  }
}

export const writtenCollection = (): string => readFileSync(COLLECTION_FILE, 'utf8');

if (pathToFileURL(argv[1] ?? '').href === import.meta.url) writeFileSync(COLLECTION_FILE, await collection());
