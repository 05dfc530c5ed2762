import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';
import { errorBody } from '../problems.js';
import { JSON_TYPE } from '../send-json.js';
import { atItsTurn, oneAtATime } from './turns.js';

/** An HTTP server that answers in JSON also where Node itself refuses a request. */
export function jsonServer(listener: RequestListener, options: Omit<ServerOptions, 'requireHostHeader'> = {}): Server {
  const answering = new WeakMap<Duplex, ServerResponse>();
  return createServer({ ...options, requireHostHeader: false }, oneAtATime(listener))
    .prependListener('request', ({ socket }, response) => {
      atItsTurn(response, () => {
        answering.set(socket, response);
        response.once('finish', () => {
          // The next one may have its turn already.
          if (answering.get(socket) === response) answering.delete(socket);
        });
      });
    })
    .on('clientError', (error, socket) => {
      clientError(error, socket, answering.get(socket));
    })
    .on('checkExpectation', (_, response: ServerResponse) => {
      const body = text(417);
      const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
      response.writeHead(417, headers).end(body);
    });
}

const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** For what Node's parser refuses before it is a request. Within or before the answer to an earlier one, it would be taken for that. */
function clientError(error: NodeJS.ErrnoException, socket: Duplex, answering: ServerResponse | undefined): void {
  const isOfEarlier = answering !== undefined && (answering.headersSent || answering.req.complete);
  if (error.code === 'ECONNRESET' || !socket.writable || isOfEarlier) {
    socket.destroy();
    return;
  }
  const code = STATUS[error.code ?? ''] ?? 400;
  const body = text(code);
  const { message } = errorBody(code).error;
  socket.end(
    `HTTP/1.1 ${code} ${message}\r\nContent-Type: ${JSON_TYPE}\r\nCache-Control: no-store\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function text(code: number): string {
  return JSON.stringify(errorBody(code));
}
