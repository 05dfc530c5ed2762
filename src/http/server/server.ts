import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';
import { connectionComes } from '../../core/concurrency/others-turn.js';
import { errorBody } from '../problems.js';
import { headersOf, refusalBody, refuse } from './refusal.js';
import { oneRequestAtATime } from './turns.js';

/** Of a request. Node leaves out what comes beyond a number: a condition of a write, or the length of a body. */
const MOST_HEADERS = 1000;

/** An HTTP server that answers in JSON also where Node itself refuses a request. With `maxHeadersCount` of 0 it keeps any number of headers. */
export function jsonServer(listener: RequestListener, options: Omit<ServerOptions, 'requireHostHeader'> = {}): Server {
  const refused = new WeakSet<Duplex>();
  const withAllHeaders: RequestListener = (request, response) => {
    const { rawHeaders, url = '' } = request;
    if (rawHeaders.length > 2 * MOST_HEADERS && server.maxHeadersCount !== 0) {
      refuse(response, 431, UNREAD, `a request has at most ${MOST_HEADERS} headers`);
    } else if (isTarget(url)) listener(request, response);
    else refuse(response, 400, UNREAD, 'the address is none');
  };
  const server = createServer({ ...options, requireHostHeader: false }, oneRequestAtATime(withAllHeaders));
  server.maxHeadersCount = MOST_HEADERS + 1;
  return server
    .on('connection', connectionComes)
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else if (!refused.has(socket)) {
        refused.add(socket);
        afterEarlier(socket, () => {
          if (socket.writable) refuseUnparsed(error, socket);
        });
      }
    })
    .on('checkExpectation', (_, response: ServerResponse) => {
      refuse(response, 417, UNREAD);
    });
}

/** A path, or a whole URL, as a proxy is asked for. */
const isTarget = (url: string): boolean => /^[/*]/.test(url) || URL.canParse(url);

/** What the client has announced, such as a body, is not read. */
const UNREAD = { Connection: 'close' };

const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What a person who writes the address of a request can mend. */
const DETAIL: Readonly<Record<string, string>> = {
  HPE_INVALID_URL: 'the address has no slash in front, or a character that must be percent-encoded, as é is %C3%A9',
  HPE_INVALID_CONSTANT: 'the address has a space, which must be percent-encoded as %20, or no HTTP/1.1 follows',
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
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  const code = STATUS[error.code ?? ''] ?? 400;
  const body = refusalBody(code, DETAIL[error.code ?? '']);
  const { message } = errorBody(code).error;
  const headers = Object.entries({ ...headersOf(body), ...UNREAD });
  const lines = [`HTTP/1.1 ${code} ${message}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
