/** What others do beside the requests that are measured. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as textIn } from 'node:stream/consumers';
import { type RunningService } from './stage.js';

const CHUNK = 1_048_576;

const agent = new Agent({ keepAlive: true });

/** The answer as JSON; null without a body. `fetch` would take more time than most answers: what is measured is not the client. */
export async function sent(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<unknown> {
  const asked = request(url, { method, agent, headers: { ...headers, 'Content-Type': 'application/json' } });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  // Also of the connection behind the answer. Whoever reads that comes to know of it.
  asked.on('error', () => undefined);
  asked.end(body);
  const [answer] = await answered;
  const text = await textIn(answer);
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 299) throw new Error(`${method} ${url}: ${statusCode} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Asks, and reads nothing of the answer. */
export function silentClient({ url, headers }: RunningService, path: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${lines.join('')}\r\n`);
  return socket;
}

/** Files of several chunks, one after the other; how many MiB came in all. */
export async function upload({ url, headers }: RunningService, nth: number, until: number): Promise<number> {
  const content = Buffer.alloc(CHUNK, nth).toString('base64');
  const files = `${url}/api/artifact_temporary_files`;
  let chunks = 0;
  while (performance.now() < until) {
    const first = JSON.stringify({ name: `file${nth}`, description: '', mimetype: 'text/plain', content });
    const { id } = (await sent(files, 'POST', headers, first)) as { id: number };
    for (let offset = 2; offset <= 4; offset += 1) {
      await sent(`${files}/${id}`, 'PUT', headers, JSON.stringify({ content, offset }));
    }
    await sent(`${files}/${id}`, 'DELETE', headers);
    chunks += 4;
  }
  return (chunks * CHUNK) / 1_048_576;
}
