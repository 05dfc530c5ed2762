import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { atItsTurn } from './turns.js';

export interface AnswerTimeouts {
  /** In each of these, a client takes so many bytes, or all that are there for it. */
  readonly windowMs: number;
  readonly windowBytes: number;
  /** From the first byte to the last. */
  readonly wholeMs: number;
  /** The same for an answer that may be of any length. */
  readonly longMs: number;
  readonly isLong: (request: IncomingMessage) => boolean;
  readonly onCut?: (request: IncomingMessage) => void;
}

interface Sending {
  readonly request: IncomingMessage;
  /** When the first byte was handed over, and when the window began; null before. */
  begunAt: number | null;
  since: number;
  /** Bytes that had been taken when the window began. */
  taken: number;
}

/** Looks in a window, at each of which a window may end. */
const LOOKS = 6;

/** Cuts off who does not take an answer, or takes it slowly: until then it is held in memory. */
export function limitAnswers(server: Server, timeouts: AnswerTimeouts): void {
  const { onCut = () => undefined } = timeouts;
  const all = new Map<ServerResponse, Sending>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    atItsTurn(response, () => {
      all.set(response, { request, begunAt: null, since: 0, taken: 0 });
      response.once('close', () => all.delete(response));
    });
  });
  const timer = setInterval(() => {
    for (const [response, sending] of all) {
      if (!response.headersSent || !isTooSlow(sending, timeouts)) continue;
      onCut(sending.request);
      sending.request.socket.destroy();
    }
  }, timeouts.windowMs / LOOKS);
  timer.unref();
  server.once('close', () => {
    clearInterval(timer);
  });
}

function isTooSlow(sending: Sending, { windowMs, windowBytes, wholeMs, longMs, isLong }: AnswerTimeouts): boolean {
  const { request } = sending;
  const now = performance.now();
  const waiting = request.socket.writableLength;
  const taken = request.socket.bytesWritten - waiting;
  const isFirst = sending.begunAt === null;
  sending.begunAt ??= now;
  if (now - sending.begunAt > (isLong(request) ? longMs : wholeMs)) return true;
  // Where nothing waits for the client, it is the service that is slow.
  if (isFirst || waiting === 0 || taken - sending.taken >= windowBytes) {
    sending.since = now;
    sending.taken = taken;
  }
  return now - sending.since >= windowMs;
}
