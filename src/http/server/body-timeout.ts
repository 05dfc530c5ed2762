import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { atItsTurn } from './turns.js';

export interface BodyTimeouts {
  /** For a whole body. */
  readonly wholeMs: number;
  /** The same for a body that may be of any length. */
  readonly longMs: number;
  /** In each of these, so many bytes of such a body come. */
  readonly windowMs: number;
  readonly windowBytes: number;
  readonly isLong: (request: IncomingMessage) => boolean;
}

/** Cuts off who keeps a connection with a body that trickles in. In place of Node's own limit, which knows no exception. */
export function limitBodies(server: Server, timeouts: BodyTimeouts): void {
  const cut = (request: IncomingMessage): void => {
    if (request.complete) return;
    const error = Object.assign(new Error('The body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, request.socket);
    request.socket.destroySoon();
  };
  const watch = (request: IncomingMessage): void => {
    const isLong = timeouts.isLong(request);
    // If the process stood still, what has come meanwhile is read first.
    const cutOnceRead = () => setImmediate(cut, request);
    const total = setTimeout(cutOnceRead, isLong ? timeouts.longMs : timeouts.wholeMs);
    const window = isLong ? everyWindow(request, timeouts, cut) : undefined;
    const { socket } = request;
    const stop = (): void => {
      clearTimeout(total);
      clearInterval(window);
      socket.off('close', stop);
    };
    request.once('end', stop);
    // The request itself hears nothing of a connection that is lost once it is answered.
    socket.once('close', stop);
  };
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['transfer-encoding'] === undefined && !(Number(request.headers['content-length']) > 0)) return;
    // Nothing of it is read before.
    atItsTurn(response, () => {
      watch(request);
    });
  });
}

function everyWindow(
  request: IncomingMessage,
  { windowMs, windowBytes }: BodyTimeouts,
  cut: (request: IncomingMessage) => void,
): NodeJS.Timeout {
  const { socket } = request;
  let seen = socket.bytesRead;
  let waited = false;
  const look = (): void => {
    // Unread bytes that have arrived, and late reading, are no fault of the client.
    const waits = request.readableLength > 0;
    if (!waits && !waited && socket.bytesRead - seen < windowBytes) cut(request);
    seen = socket.bytesRead;
    waited = waits;
  };
  return setInterval(setImmediate, windowMs, look);
}
