/** Requests during which something happens: it has half of the body before, and gets the other half afterwards. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { checkMessage } from './raw-answers.js';

interface Halved {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface HalvedAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Of a refusal. */
  readonly message: string | undefined;
}

/** In milliseconds: by then the service has found out whose body it is. */
const LOOKED_AT = 100;

export async function halfwayThrough(
  { method, url, headers, body }: Halved,
  meanwhile: () => unknown,
): Promise<HalvedAnswer> {
  const bytes = Buffer.from(body);
  const half = bytes.length / 2;
  const sending = request(url, { method, headers: { ...headers, 'Content-Length': bytes.length } });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.write(bytes.subarray(0, half));
  await setTimeout(LOOKED_AT);
  await meanwhile();
  sending.end(bytes.subarray(half));
  const [answer] = await answered;
  const written = await text(answer);
  const parsed =
    written === '' ? undefined : (JSON.parse(written) as { readonly error?: { readonly message: string } });
  await checkMessage(method, url, answer, { body: parsed });
  return { status: answer.statusCode ?? 0, headers: answer.headers, message: parsed?.error?.message };
}
