/** Stands between a service and programs whose answers no spec sees, and holds each against the description of the API. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { methodMeant } from './description.js';
import { checkMessage } from './raw-answers.js';

export interface CheckingProxy {
  readonly url: string;
  /** Throws the first fault that it found, and if nobody came. */
  stop(): Promise<void>;
}

export async function checkingProxy(origin: string): Promise<CheckingProxy> {
  const faults: unknown[] = [];
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    passOn(`${origin}${incoming.url ?? ''}`, incoming, outgoing, (fault) => faults.push(fault)).catch(
      (error: unknown) => {
        faults.push(error);
        outgoing.destroy();
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (requests === 0) throw new Error('No program has asked by way of the proxy');
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** The service sees the client's own Host. What is compressed could not be looked at. */
async function passOn(
  url: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onFault: (fault: unknown) => void,
): Promise<void> {
  const { method = 'GET' } = incoming;
  const sending = httpRequest(url, { method, headers: { ...incoming.headers, 'accept-encoding': 'identity' } });
  // A client may leave.
  sending.on('error', () => undefined);
  incoming.pipe(sending);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  await checkMessage(
    methodMeant(method, incoming.headers['x-http-method-override']),
    url,
    answer,
    bodyOf(answer, bytes),
  ).catch(onFault);
  outgoing.writeHead(answer.statusCode ?? 0, ofAnswer(answer)).end(bytes);
}

/** Headers of one connection are not passed on. */
const OF_CONNECTION = /^(connection|keep-alive|transfer-encoding)$/i;

function ofAnswer({ rawHeaders }: IncomingMessage): string[] {
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_CONNECTION.test(name)) lines.push(name, value);
  }
  return lines;
}

/** A body that is no JSON is not looked at. */
function bodyOf({ headers }: IncomingMessage, bytes: Buffer): { readonly body?: unknown } {
  if (bytes.length === 0) return { body: undefined };
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return isJson ? { body: JSON.parse(bytes.toString('utf8')) as unknown } : {};
}
