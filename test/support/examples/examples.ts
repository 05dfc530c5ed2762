/** `npm run examples`: writes the examples of the API description, as the demo platform answers. The clock stands. */
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fillDemo } from '../../../src/demo/demo.js';
import { DEMO_PASSWORD } from '../../../src/demo/demo-platform.js';
import { type ApiExamples } from '../../../src/http/openapi/examples.js';
import { serve } from '../../../src/composition/http-server.js';
import { operations } from '../../../src/operations/operations.js';
import { runService } from '../service.js';
import { exampleRequests, type ExampleRequest } from './requests.js';

const EXAMPLES_FILE = fileURLToPath(new URL('../../../src/composition/generated/api-examples.ts', import.meta.url));

const NOW = new Date('2026-11-24T08:00:00Z');

export async function apiExamples(): Promise<ApiExamples> {
  const env = { PUBLIC_URL: 'https://tracker.example.org' };
  const running = await runService({ platform: '{}', env, clock: () => NOW });
  try {
    const { service, serving, url } = running;
    const commands = operations(service, serving.passwords);
    await fillDemo(serving.config, service, commands, new AbortController().signal);
    const readiness = () => ({ started: false, ready: false, details: {} });
    const starting = await serve({ ...serving, readiness });
    const examples: Record<string, Record<number, unknown>> = {};
    for (const request of exampleRequests(running)) {
      const at = request.atStart === true ? `http://127.0.0.1:${starting.port}` : url;
      for (let sent = 1; sent < (request.times ?? 1); sent += 1) await answered(request, at);
      (examples[request.of] ??= {})[request.status] = await exampleOf(request, at);
    }
    await starting.close(1000);
    return examples;
  } finally {
    await running.stop();
  }
}

function answered({ of, path, as, body, headers }: ExampleRequest, url: string): Promise<Response> {
  const credentials = Buffer.from(`${as}:${DEMO_PASSWORD}`).toString('base64');
  return fetch(`${url}/api${path}`, {
    method: /^[a-z]+/.exec(of === 'shared' ? (body === undefined ? 'get' : 'post') : of)![0].toUpperCase(),
    headers: {
      ...(as !== undefined && { Authorization: `Basic ${credentials}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function exampleOf(request: ExampleRequest, url: string): Promise<unknown> {
  const { of, path, status } = request;
  const response = await answered(request, url);
  const text = await response.text();
  if (response.status !== status) throw new Error(`${of} ${path} is answered ${response.status}: ${text}`);
  return JSON.parse(withoutSecrets(text)) as unknown;
}

/** They are others in each run. */
const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl')
    .replaceAll(/tlp-k1-101\.\w+/g, 'tlp-k1-101.3e2f0c6b7d');

const fileOf = (examples: ApiExamples): string =>
  `/** Made by \`npm run examples\`. */
import { type ApiExamples } from '../../http/openapi/examples.js';

export const API_EXAMPLES: ApiExamples = ${JSON.stringify(examples, null, 1)};
`;

if (pathToFileURL(argv[1] ?? '').href === import.meta.url) {
  writeFileSync(EXAMPLES_FILE, fileOf(await apiExamples()));
}
