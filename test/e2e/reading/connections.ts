/** A service with reading processes, and clients whose connections are spread over these. */
import { Agent, request as send } from 'node:http';
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
  get(path: string, headers?: Headers): Promise<Received>;
  close(): void;
}

/** Resolves once so many reading processes are ready. */
export async function startReading(directory: string, count: number, env: Environment = {}): Promise<ServiceProcess> {
  const service = await startService(directory, { WORKERS: String(count), ...env });
  await service.says(new RegExp(`"ready":${count},"msg":"reading process ready"`));
  return service;
}

export function connection({ url }: Pick<ServiceProcess, 'url'>): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    get: (path, headers = {}) =>
      new Promise((resolve, reject) => {
        send(`${url}/api${path}`, { agent, headers }, (answer) => {
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
          .end();
      }),
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
