/** One exchange over node:http: where `fetch` allows no body or hides how headers were spelled. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { checkMessage } from '../../support/raw-answers.js';

export interface Exchanged {
  readonly status: number;
  /** Names as they went over the wire. */
  readonly names: readonly string[];
  readonly header: (name: string) => string | undefined;
  readonly text: string;
  /** Parsed JSON; undefined for an empty body. */
  readonly body: unknown;
}

export interface ExchangeOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A body that is no text is sent as JSON. */
export async function exchange(method: string, url: string, { headers = {}, body }: ExchangeOptions = {}) {
  const sent = request(url, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
  });
  if (body !== undefined) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    sent.setHeader('Content-Length', Buffer.byteLength(text));
    sent.write(text);
  }
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await exchanged(response);
  await checkMessage(method, url, response, answer);
  return answer;
}

async function exchanged(response: IncomingMessage): Promise<Exchanged> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: response.statusCode ?? 0,
    names: response.rawHeaders.filter((_, index) => index % 2 === 0),
    header: (name) => response.headers[name.toLowerCase()]?.toString(),
    text,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
}
