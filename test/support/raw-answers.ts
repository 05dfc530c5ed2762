/** Answers that come otherwise than by `fetch`, held against the description of the API. */
import { type IncomingMessage } from 'node:http';
import { checkExchange } from './description.js';

/** `body`: left out, it is not looked at. */
export async function checkMessage(
  method: string,
  url: string,
  { statusCode: status = 0, headers }: IncomingMessage,
  answer: { readonly body?: unknown } = {},
): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const body = 'body' in answer ? { body: answer.body } : {};
  await checkExchange(origin, { method, path, status, headers: headersIn({ headers }), ...body });
}

export const headersIn = ({ headers }: Pick<IncomingMessage, 'headers'>): Headers =>
  new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));

/** The last answer of what came over a connection. A request that is none has no method and no path. */
export async function checkRaw(origin: string, text: string, method = '', path = ''): Promise<void> {
  const answer = text.slice(text.lastIndexOf('HTTP/1.1 '));
  const [, code, head, body] = /^HTTP\/1\.1 (\d{3}) .*?\r\n(.*?)\r\n\r\n(.*)$/s.exec(answer) ?? [];
  if (head === undefined) throw new Error(`This is no answer of HTTP: ${text.slice(0, 200)}`);
  const lines = head.split('\r\n');
  const headers = new Headers(lines.map((line): [string, string] => line.split(/: ?(.*)/s, 2) as [string, string]));
  await checkExchange(origin, {
    method,
    path,
    status: Number(code),
    headers,
    body: body ? (JSON.parse(body) as unknown) : undefined,
  });
}
