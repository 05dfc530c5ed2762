/** Passes requests on to another process of the service as they come, and its answers back. */
import {
  Agent,
  request as requestTo,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { addressHeader } from '../client/told-address.js';
import { errorBody } from '../problems.js';
import { JSON_TYPE } from '../send-json.js';

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
const MOST_IDLE = 256;
const RETRY_AFTER_S = '1';

export interface Forwarding {
  readonly forward: RequestListener;
  close(): void;
}

export function forwarding(socketPath: string, onFailed: (error: unknown) => void): Forwarding {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE });
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url } = request;
    const passed = requestTo({ socketPath, agent, method, path: url, headers: headersOf(request) });
    passed.once('response', (answer) => {
      const { statusCode = 502, statusMessage } = answer;
      response.writeHead(statusCode, statusMessage, without(OF_AN_ANSWER, answer.rawHeaders));
      pipeline(answer, response, () => undefined);
      // Node does not go on with a body once its answer has come.
      answer.once('end', () => {
        if (!passed.writableEnded) passed.destroy();
      });
    });
    passed.on('error', (error) => {
      if (response.closed || response.writableEnded) return;
      onFailed(error);
      if (response.headersSent) response.destroy();
      else refuse(response);
    });
    // What the client still sends has no taker. It reads the answer when all is sent.
    passed.once('close', () => request.unpipe(passed).resume());
    response.once('close', () => {
      if (!response.writableFinished) passed.destroy();
    });
    request.pipe(passed);
  };
  return {
    forward,
    close: () => {
      agent.destroy();
    },
  };
}

/** As the client has spelled them, in pairs. */
function headersOf(request: IncomingMessage): readonly string[] {
  const { headers, method, httpVersion, socket } = request;
  const isUnbounded = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  const isOld = httpVersion === '1.0' && headers.host === undefined;
  return [
    ...without(new Set([...OF_A_CONNECTION, addressHeader.name]), request.rawHeaders),
    ...(isUnbounded && !WITHOUT_BODY.has(method) ? ['Content-Length', '0'] : []),
    ...(isOld ? ['Host', `localhost:${socket.localPort ?? 80}`] : []),
    ...[addressHeader.name, addressHeader.of(request)],
  ];
}

function without(names: ReadonlySet<string>, headers: readonly string[]): string[] {
  return headers.filter((_, at) => !names.has((headers[at - (at % 2)] ?? '').toLowerCase()));
}

function refuse(response: ServerResponse): void {
  const body = JSON.stringify(errorBody(503, 'The service is starting; retry later'));
  response.writeHead(503, {
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Retry-After': RETRY_AFTER_S,
  });
  response.end(body);
}
