import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';
import { errorBody } from '../problems.js';
import { JSON_TYPE } from '../send-json.js';
import { atItsTurn } from './turns.js';

/** An HTTP server that answers in JSON also where Node itself refuses a request. */
export function jsonServer(listener: RequestListener, options: Omit<ServerOptions, 'requireHostHeader'> = {}): Server {
  return createServer({ ...options, requireHostHeader: false }, oneAtATime(listener))
    .on('clientError', clientError)
    .on('checkExpectation', (_, response: ServerResponse) => {
      const body = text(417);
      const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
      response.writeHead(417, headers).end(body);
    });
}

/** Of each connection. What a client sends behind another request waits, and is never begun if the connection ends. */
const oneAtATime =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    atItsTurn(response, () => {
      listener(request, response);
    });
  };

const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** For what Node's parser refuses before it is a request. */
function clientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
