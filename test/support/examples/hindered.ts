/** The demo platform where something stands in the way, which the examples of errors need. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '../../../src/composition/http-server.js';
import { storageFull } from '../../../src/core/blob-store.js';
import { limitBodies } from '../../../src/http/server/body-timeout.js';
import { jsonServer } from '../../../src/http/server/server.js';
import { headersIn } from '../raw-answers.js';
import { type RunningService } from '../service.js';

export type Hindrance = 'starting' | 'full' | 'impatient';

export interface Hindered {
  readonly origins: Readonly<Record<Hindrance, string>>;
  readonly close: () => Promise<void>;
}

const WAITS_MS = 100;

export async function hindered({ serving }: RunningService): Promise<Hindered> {
  const { service } = serving;
  const readiness = () => ({ started: false, ready: false, details: {} });
  const blobs = { ...service.blobs, put: () => Promise.reject(storageFull()) };
  const [starting, full, impatient] = await Promise.all([
    serve({ ...serving, readiness }),
    serve({ ...serving, service: { ...service, blobs } }),
    impatientServer(),
  ]);
  const originOf = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    origins: {
      starting: originOf(starting.port),
      full: originOf(full.port),
      impatient: originOf((impatient.address() as AddressInfo).port),
    },
    close: async () => {
      await Promise.all([starting.close(1000), full.close(1000)]);
      impatient.close();
      await once(impatient, 'close');
    },
  };
}

/** As the service listens, but for its minute of patience. What it answers then, no route has a part in. */
async function impatientServer() {
  const server = jsonServer((request) => request.resume().on('error', () => undefined));
  const limits = { wholeMs: WAITS_MS, longMs: WAITS_MS, windowMs: WAITS_MS, windowBytes: 1, isLong: () => false };
  limitBodies(server, limits);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** What is answered to a request whose body stays away. */
export async function unfinished(method: string, url: string, headers: Readonly<Record<string, string>>) {
  const sending = httpRequest(url, { method, headers: { ...headers, 'Content-Length': '10' } });
  sending.flushHeaders();
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  const response = new Response(await text(answer), { status: answer.statusCode ?? 0, headers: headersIn(answer) });
  sending.destroy();
  return response;
}
