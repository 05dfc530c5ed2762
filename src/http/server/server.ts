import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';
import { errorBody } from '../problems.js';
import { JSON_TYPE } from '../send-json.js';
import { oneRequestAtATime } from './turns.js';

/** An HTTP server that answers in JSON also where Node itself refuses a request. */
export function jsonServer(listener: RequestListener, options: Omit<ServerOptions, 'requireHostHeader'> = {}): Server {
  const refused = new WeakSet<Duplex>();
  return createServer({ ...options, requireHostHeader: false }, oneRequestAtATime(listener))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else if (!refused.has(socket)) {
        refused.add(socket);
        afterEarlier(socket, () => {
          if (socket.writable) refuse(error, socket);
        });
      }
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

/** As Node's own handling of these errors does. Null between two answers. */
interface Answering extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
}

/** Within or before the answer to an earlier request, what is wrong would be taken for that. */
function afterEarlier(socket: Answering, then: () => void): void {
  const { _httpMessage: response } = socket;
  if (!response || !(response.headersSent || response.req.complete)) then();
  else {
    response.once('finish', () => {
      afterEarlier(socket, then);
    });
  }
}

/** For what Node's parser refuses before it is a request. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
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
