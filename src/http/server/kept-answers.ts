/**
 * Whole answers, given again to the same request ahead of the routes. Only a route can tell that its answer still holds.
 * Who asks is found out anew each time.
 */
import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Readable, Stream } from 'node:stream';
import { type Context, type Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { cacheSize, textSize } from '../../core/bounds.js';
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
  /** Weakly: a viewer holds all that is known of its user, and may be there no more after each change of the user. */
  readonly viewer: WeakRef<object>;
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

/** In bytes, of all answers together with the requests that they are for. */
const KEPT_SIZE = cacheSize(64 * 1024 * 1024);
const HEADERS_SIZE = 1000;
const sizeOf = (body: Kept['body']): number => (typeof body === 'string' ? textSize(body) : body.length);
/** In bytes, of a compressed answer. */
const LONGEST = 262_144;

export function keptAnswers<Viewer extends object>(authenticate: Authenticate<Viewer>, log: RequestLog): KeptAnswers {
  const known = new LRUCache<string, Kept>({
    maxSize: KEPT_SIZE,
    sizeCalculation: ({ body }, name) => sizeOf(body) + name.length + HEADERS_SIZE,
  });
  const isGood = async (kept: Kept, request: IncomingMessage): Promise<boolean> =>
    (await authenticate(callerOf(request), kept.access)) === kept.viewer.deref() && (await kept.stillHolds());

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

/** All of a request that an answer may depend on. Undefined if nothing is kept for such a request. */
function nameOf(request: IncomingMessage): string | undefined {
  if (!isRepeatable(request)) return undefined;
  const { rawHeaders, httpVersion, socket, url = '' } = request;
  let name = `${httpVersion} ${socket.remoteAddress ?? ''} ${url}`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [header = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!isRequestId(header)) name += `\n${header}:${value}`;
  }
  return name;
}

/** One with a password is not, because each try counts. */
const isRepeatable = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.authorization === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

const REQUEST_ID = 'x-request-id';
const isRequestId = (name: string): boolean => name.length === REQUEST_ID.length && name.toLowerCase() === REQUEST_ID;

const callerOf = ({ headers }: IncomingMessage): Caller => ({
  method: 'GET',
  get: (name) => headers[name.toLowerCase()]?.toString() ?? '',
  // Only passwords are counted by address.
  state: { address: '' },
});

/** Hands over the answer once it is whole. */
function whole(ctx: Context, keep: (kept: Kept) => void): void {
  const { reader, stillHolds, userId = null } = ctx.state;
  if (reader === undefined || stillHolds === undefined) return;
  const { status, path } = ctx;
  const { viewer, access } = reader;
  const facts = { viewer: new WeakRef(viewer), access, stillHolds, status, userId, path: withoutSecrets(path) };
  const headers = headersOf(ctx.res);
  if (status === 304) keep({ ...facts, headers: headers.flatMap(exceptOfBody), body: '' });
  // The next answer to a condition may be 304.
  if (status !== 200 || ctx.req.headers['if-none-match'] !== undefined) return;
  wholeBody(ctx, (body) => {
    const length: Header = ['Content-Length', String(Buffer.byteLength(body))];
    keep({ ...facts, headers: [...headers.filter(([name]) => name !== length[0]), length].flat(), body });
  });
}

type Header = readonly [name: string, value: string];

function headersOf(response: ServerResponse): readonly Header[] {
  const names = response.getRawHeaderNames().filter((name) => !isRequestId(name));
  return names.map((name) => [name, String(response.getHeader(name))]);
}

const exceptOfBody = (header: Header): readonly string[] => (/^content-(type|length)$/i.test(header[0]) ? [] : header);

/** Of texts and compressed texts. */
function wholeBody({ body }: { readonly body: unknown }, then: (body: string | Buffer) => void): void {
  if (typeof body === 'string') then(body);
  else if (body instanceof Stream.Transform) collect(body, then);
}

/** Beside the client, who sets the pace. What does not end is not handed over. */
function collect(stream: Readable, then: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LONGEST) chunks.push(chunk);
  });
  stream.once('end', () => {
    if (size > LONGEST) return;
    // Small bytes of `concat` hold the memory of others, too.
    const bytes = Buffer.allocUnsafeSlow(size);
    Buffer.concat(chunks).copy(bytes);
    then(bytes);
  });
}

/** Answers with the id of the request. */
function send({ status, headers, body }: Kept, request: IncomingMessage, response: ServerResponse): string {
  const requestId = requestIdOf(request.headers[REQUEST_ID]?.toString());
  response.writeHead(status, [...headers, 'X-Request-Id', requestId]);
  response.end(body === '' ? undefined : body);
  return requestId;
}
