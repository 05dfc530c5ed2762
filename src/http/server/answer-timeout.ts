import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answersIn, isRoomWanted, MOST_LONG_ANSWERS, shareOf } from '../../core/logs/long-texts.js';
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
  /**
   * So many other answers at once may have begun and wait for their clients. A long one counts as several. Beyond it, the
   * slowest clients are cut off.
   */
  readonly mostWaiting: number;
  readonly onCut?: (request: IncomingMessage) => void;
}

interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When the first byte was handed over, and when the window began; null before. */
  begunAt: number | null;
  since: number;
  /** Bytes that had been taken when the window began. */
  taken: number;
}

/** Looks in a window, at each of which a window may end. */
const LOOKS = 60;
/** In bytes: a client that has just begun to take is not the slowest. */
const HEAD_START = 65_536;

/** Cuts off who does not take an answer, or takes it slowly: until then it is held in memory. */
export function limitAnswers(server: Server, timeouts: AnswerTimeouts): void {
  const { onCut = () => undefined } = timeouts;
  const all = new Set<Sending>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    atItsTurn(response, () => {
      const sending = { request, response, begunAt: null, since: 0, taken: 0 };
      all.add(sending);
      response.once('close', () => all.delete(sending));
    });
  });
  const cut = ({ request }: Sending): void => {
    onCut(request);
    request.socket.destroy();
  };
  const timer = setInterval(() => {
    const begun = [...all].filter(({ request, response }) => response.headersSent && !request.socket.destroyed);
    const slow = begun.filter((sending) => isTooSlow(sending, timeouts));
    const waiting = begun.filter(({ request }) => request.socket.writableLength > 0 && !timeouts.isLong(request));
    for (const sending of new Set([...slow, ...beyond(timeouts.mostWaiting, waiting)])) cut(sending);
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

function beyond(most: number, waiting: readonly Sending[]): readonly Sending[] {
  const bySize = isRoomWanted() ? slowest(MOST_LONG_ANSWERS / 2, waiting, shareOf) : [];
  return [...bySize, ...slowest(most, waiting, answersIn)];
}

/** The slowest of them, if there are too many. One alone is never too many. */
function slowest(most: number, waiting: readonly Sending[], countOf: typeof answersIn): readonly Sending[] {
  const fastestFirst = waiting.toSorted((one, other) => paceOf(other) - paceOf(one));
  let left = most;
  return fastestFirst.filter(({ response }, index) => {
    const count = countOf(response);
    if (index > 0 && count > left) return true;
    left -= count;
    return false;
  });
}

/** In its window, by which a client is compared with others. Of equals, those go on that have begun first. */
function paceOf({ request: { socket }, since, taken }: Sending): number {
  return (socket.bytesWritten - socket.writableLength - taken + HEAD_START) / Math.max(1, performance.now() - since);
}
