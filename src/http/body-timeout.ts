import { type IncomingMessage, type Server } from 'node:http';

export interface BodyTimeouts {
  /** For a whole body. */
  readonly wholeMs: number;
  /** For the next bytes of a body that may be of any length. */
  readonly idleMs: number;
  readonly isLong: (request: IncomingMessage) => boolean;
}

/** Cuts off who keeps a connection with a body that trickles in. In place of Node's own limit, which knows no exception. */
export function limitBodies(server: Server, timeouts: BodyTimeouts): void {
  const cut = (request: IncomingMessage): void => {
    if (request.complete) return;
    const error = Object.assign(new Error('The body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, request.socket);
    request.socket.destroySoon();
  };
  server.prependListener('request', (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined && !(Number(request.headers['content-length']) > 0)) return;
    const stop = timeouts.isLong(request)
      ? whenIdle(request, timeouts.idleMs, cut)
      : after(request, timeouts.wholeMs, cut);
    // The body has come, or the connection is gone.
    request.once('end', stop);
    request.once('close', stop);
  });
}

type Cut = (request: IncomingMessage) => void;

function after(request: IncomingMessage, ms: number, cut: Cut): () => void {
  const timer = setTimeout(cut, ms, request);
  return () => {
    clearTimeout(timer);
  };
}

function whenIdle(request: IncomingMessage, ms: number, cut: Cut): () => void {
  const { socket } = request;
  let seen = socket.bytesRead;
  const timer = setInterval(() => {
    // Bytes that are there and that nobody has taken yet are no fault of the client's.
    if (socket.bytesRead === seen && request.readableLength === 0) cut(request);
    seen = socket.bytesRead;
  }, ms);
  return () => {
    clearInterval(timer);
  };
}
