import { request as httpRequest, type Agent } from 'node:http';
import { type Asked } from './kind.js';

/** The status, once all of the answer is there. */
export function send(
  url: string,
  { method, headers, body }: Omit<Asked, 'path' | 'isBare'>,
  agent: Agent,
): Promise<string> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type =
    text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  return new Promise((resolve) => {
    const outgoing = httpRequest(url, { method, headers: { ...type, ...headers }, agent }, (response) => {
      response.resume();
      response.once('close', () => {
        resolve(`${response.statusCode ?? 0}${response.complete ? '' : ', cut off'}`);
      });
    });
    outgoing.once('error', ({ message }) => {
      resolve(message);
    });
    outgoing.end(text);
  });
}
