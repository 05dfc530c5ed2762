/**
 * Whole answers, given again to the same request ahead of the routes. Only a route can tell that its answer still holds.
 * Who asks is found out anew each time.
 */
import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Readable, Stream } from 'node:stream';
import { type Context, type Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { withoutSecrets } from '../../logging/logger.js';
import { type RequestLog } from '../access-log.js';
import { requestIdOf } from '../request-id.js';
import { type Access, type Authenticate, type Caller } from '../route.js';
import '../state.js';

declare module 'node:http' {
  // Left out of the types of Node, but documented.
  interface OutgoingMessage {
    getRawHeaderNames(): string[];
  }
}

export interface KeptAnswers {
  /** Outermost: keeps what the routes answer. */
  readonly keeping: Middleware;
  /** Answers from what is kept, else leaves the request to `routes`. */
  readonly before: (routes: RequestListener) => RequestListener;
}

interface Kept {
  readonly viewer: unknown;
  readonly access: Access;
  readonly stillHolds: () => boolean | Promise<boolean>;
  readonly status: number;
  /** Name, value, name, value. Without the id of the request. */
  readonly headers: readonly string[];
  /** Bytes if it is compressed. */
  readonly body: string | Buffer;
  /** For the log. */
  readonly path: string;
  readonly userId: number | null;
}

/** In characters and bytes, of all answers together with the requests that they are for. */
const KEPT_SIZE = 64 * 1024 * 1024;
const HEADERS_SIZE = 1000;
/** In bytes, of a compressed answer. */
const LONGEST = 262_144;

export function keptAnswers<Viewer>(authenticate: Authenticate<Viewer>, log: RequestLog): KeptAnswers {
  const known = new LRUCache<string, Kept>({
    maxSize: KEPT_SIZE,
    sizeCalculation: ({ body }, name) => body.length + name.length + HEADERS_SIZE,
  });
  const isGood = async (kept: Kept, request: IncomingMessage): Promise<boolean> =>
    (await authenticate(callerOf(request), kept.access)) === kept.viewer && (await kept.stillHolds());

  return {
    keeping: async (ctx, next) => {
      await next();
      const name = ctx.state.stillHolds === undefined ? undefined : nameOf(ctx.req);
      if (name === undefined) return;
      whole(ctx, (kept) => known.set(name, kept));
    },
    before: (routes) => (request, response) => {
      const name = nameOf(request);
      const kept = name === undefined ? undefined : known.get(name);
      if (kept === undefined) {
        routes(request, response);
        return;
      }
      const startedAt = performance.now();
      isGood(kept, request).then(
        (good) => {
          if (!good) {
            routes(request, response);
            return;
          }
          const requestId = send(kept, request, response);
          const { path, status, userId } = kept;
          log({ requestId, method: 'GET', path, status, startedAt, userId });
        },
        // The routes answer with what is wrong.
        () => {
          routes(request, response);
        },
      );
    },
  };
}

/**
 * All that an answer may depend on apart from what is stored: the peer, the address, and all headers but the id. Undefined
 * if nothing is kept. Passwords are not: each try counts.
 */
function nameOf(request: IncomingMessage): string | undefined {
  const { method, httpVersion, headers, rawHeaders, socket, url = '' } = request;
  if (method !== 'GET' || httpVersion !== '1.1' || headers.authorization !== undefined || hasBody(request)) {
    return undefined;
  }
  let name = `${socket.remoteAddress ?? ''} ${url}`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? '';
    if (header.length !== REQUEST_ID.length || header.toLowerCase() !== REQUEST_ID) {
      name += `\n${header}:${rawHeaders[at + 1] ?? ''}`;
    }
  }
  return name;
}

const REQUEST_ID = 'x-request-id';

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const callerOf = ({ headers }: IncomingMessage): Caller => ({
  get: (name) => headers[name.toLowerCase()]?.toString() ?? '',
  // Only passwords are counted by address.
  state: { address: '' },
});

/** Hands over the answer once it is whole. */
function whole(ctx: Context, keep: (kept: Kept) => void): void {
  const { reader, stillHolds, userId = null } = ctx.state;
  if (reader === undefined || stillHolds === undefined) return;
  const { status, path } = ctx;
  const headers = headersOf(ctx.res);
  const facts = { ...reader, stillHolds, status, userId, path: withoutSecrets(path) };
  const body: unknown = ctx.body;
  if (status === 304) keep({ ...facts, headers: headers.flatMap(exceptOfBody), body: '' });
  else if (status === 200 && typeof body === 'string') keep({ ...facts, headers: headers.flat(), body });
  else if (status === 200 && body instanceof Stream.Transform) {
    collect(body, (bytes) => {
      keep({ ...facts, headers: [...headers, ['Content-Length', String(bytes.length)]].flat(), body: bytes });
    });
  }
}

type Header = readonly [name: string, value: string];

function headersOf(response: ServerResponse): readonly Header[] {
  return response
    .getRawHeaderNames()
    .filter((name) => name.toLowerCase() !== REQUEST_ID)
    .map((name) => [name, String(response.getHeader(name))]);
}

const exceptOfBody = (header: Header): readonly string[] => (/^content-(type|length)$/i.test(header[0]) ? [] : header);

/** Beside the client, who sets the pace. What does not end is not handed over. */
function collect(stream: Readable, then: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LONGEST) chunks.push(chunk);
  });
  stream.once('end', () => {
    if (size <= LONGEST) then(Buffer.concat(chunks));
  });
}

/** Answers with the id of the request. */
function send({ status, headers, body }: Kept, request: IncomingMessage, response: ServerResponse): string {
  const requestId = requestIdOf(request.headers[REQUEST_ID]?.toString());
  response.writeHead(status, [...headers, 'X-Request-Id', requestId]);
  response.end(body === '' ? undefined : body);
  return requestId;
}
