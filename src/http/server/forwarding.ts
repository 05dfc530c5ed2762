/** Passes requests on to another process of the service as they come, and its answers back. */
import {
  Agent,
  request as requestTo,
  type ClientRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { addressHeader } from '../client/told-address.js';
import { shortened, withWholePath } from './private-socket.js';
import { refuse } from './refusal.js';

/** Each connection has its own. */
const OF_A_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
]);
/** Node sends a body in chunks by itself. */
const OF_AN_ANSWER: ReadonlySet<string> = new Set([...OF_A_CONNECTION, 'transfer-encoding']);
const WITHOUT_BODY: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
/** What may be asked again whatever became of it. */
const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const MOST_IDLE = 256;
const RETRY_AFTER = { 'Retry-After': '1' };

export interface Forwarding {
  readonly forward: RequestListener;
  close(): void;
}

/** The server has to refuse a request of which Node leaves out headers: one of them may tell of a body. */
export function forwarding(path: string, onFailed: (error: unknown) => void): Forwarding {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE });
  const target = { socketPath: shortened(path), agent };
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url } = request;
    const passed = begun(() => requestTo({ ...target, method, path: url, headers: headersOf(request) }));
    if (passed === null) {
      refuse(response, 400, {});
      return;
    }
    passed.once('response', (answer) => {
      const { statusCode = 502, statusMessage } = answer;
      response.writeHead(statusCode, statusMessage, without(OF_AN_ANSWER, answer.rawHeaders));
      pipeline(answer, response, () => undefined);
      // Node does not go on with a body once its answer has come.
      answer.once('end', () => {
        if (!passed.writableEnded) passed.destroy();
      });
    });
    let mayHaveArrived = false;
    passed.once('socket', (socket) => {
      if (!socket.connecting) mayHaveArrived = true;
      else socket.once('connect', () => (mayHaveArrived = true));
    });
    passed.on('error', (error) => {
      if (response.closed || response.writableEnded) return;
      onFailed(withWholePath(error, path));
      if (response.headersSent || (mayHaveArrived && !SAFE.has(method))) response.destroy();
      else refuse(response, 503, RETRY_AFTER, 'The service is starting; retry later');
    });
    // What the client still sends has no taker. It reads the answer when all is sent.
    passed.once('close', () => request.unpipe(passed).resume());
    response.once('close', () => {
      if (!response.writableFinished) passed.destroy();
    });
    // Nothing may follow the headers that these do not tell: the other process would take it for a request.
    if (isBodyTold(request)) request.pipe(passed);
    else passed.end();
  };
  return {
    forward,
    close: () => {
      agent.destroy();
    },
  };
}

/** Null for what Node reads, but does not write. */
function begun(request: () => ClientRequest): ClientRequest | null {
  try {
    return request();
  } catch {
    return null;
  }
}

const isBodyTold = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** As the client has spelled them, in pairs. */
function headersOf(request: IncomingMessage): readonly string[] {
  const { headers, method, httpVersion, socket } = request;
  const isOld = httpVersion === '1.0' && headers.host === undefined;
  return [
    // First, because Node leaves out headers beyond a number.
    ...[addressHeader.name, addressHeader.of(request)],
    ...without(new Set([...OF_A_CONNECTION, addressHeader.name]), request.rawHeaders),
    ...(!isBodyTold(request) && !WITHOUT_BODY.has(method) ? ['Content-Length', '0'] : []),
    ...(isOld ? ['Host', `localhost:${socket.localPort ?? 80}`] : []),
  ];
}

function without(names: ReadonlySet<string>, headers: readonly string[]): string[] {
  return headers.filter((_, at) => !names.has((headers[at - (at % 2)] ?? '').toLowerCase()));
}
