/** A service with reading processes, and clients whose connections are spread over these. */
import { randomUUID } from 'node:crypto';
import { Agent, request as send, type RequestOptions } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startService, type Environment, type ServiceProcess } from '../../support/process.js';

export type Headers = Readonly<Record<string, string>>;

interface Received {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs look into answers by hand
  readonly body: any;
}

/** One connection, which is kept. */
export interface Connection {
  readonly get: (path: string, headers?: Headers) => Promise<Received>;
  readonly send: (method: string, path: string, headers?: Headers, body?: unknown) => Promise<Received>;
  close(): void;
}

/** Resolves once so many reading processes are ready. */
export async function startReading(directory: string, count: number, env: Environment = {}): Promise<ServiceProcess> {
  const service = await startService(directory, { WORKERS: String(count), ...env });
  await service.says(new RegExp(`"ready":${count},"msg":"reading process ready"`));
  return service;
}

export const connection = ({ url }: Pick<ServiceProcess, 'url'>): Connection => {
  const { hostname, port } = new URL(url);
  return connectionTo({ hostname, port });
};

/** To the main process, past the reading processes. */
export const connectionToMain = (dataDir: string): Connection =>
  connectionTo({ socketPath: join(dataDir, 'inner.sock') });

function connectionTo(target: RequestOptions): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const exchange: Connection['send'] = (method, path, headers = {}, sent) =>
    new Promise((resolve, reject) => {
      const typed = { ...headers, ...(sent !== undefined && { 'Content-Type': 'application/json' }) };
      send({ ...target, agent, method, path: `/api${path}`, headers: typed }, (answer) => {
        text(answer).then((body) => {
          const given = answer.headers as Record<string, string>;
          resolve({
            status: answer.statusCode ?? 0,
            headers: given,
            body: body === '' ? undefined : JSON.parse(body),
          });
        }, reject);
      })
        .on('error', reject)
        .end(sent === undefined ? undefined : JSON.stringify(sent));
    });
  return {
    get: (path, headers) => exchange('GET', path, headers),
    send: exchange,
    close: () => {
      agent.destroy();
    },
  };
}

/** More than one for each process. */
export const connections = (service: ServiceProcess, count: number): readonly Connection[] =>
  Array.from({ length: count }, () => connection(service));

/** By process, how many requests it has answered; the main one has no name. */
export function answered(service: ServiceProcess, path: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { msg, process = 'main', path: asked } of service.lines()) {
    if (msg === 'request' && path.test(String(asked)))
      counts.set(String(process), (counts.get(String(process)) ?? 0) + 1);
  }
  return counts;
}

/** The process that has the connection: the main one has no name. */
export async function processOf(service: ServiceProcess, client: Connection, headers: Headers = {}): Promise<string> {
  const id = randomUUID();
  await client.get('/projects', { ...headers, 'X-Request-Id': id });
  await service.says(new RegExp(id));
  const { process = 'main' } = service.lines().find(({ requestId }) => requestId === id) ?? {};
  return process as string;
}

/** In the order of their getting ready. */
export const pidsIn = (service: ServiceProcess): readonly number[] =>
  service.lines().flatMap(({ msg, pid }) => (msg === 'reading process ready' ? [Number(pid)] : []));

export const pidOf = (service: ServiceProcess, name: string): number =>
  Number(
    service
      .lines()
      .find(({ msg, number }) => msg === 'reading process ready' && `reading-${String(number)}` === name)?.['pid'],
  );
