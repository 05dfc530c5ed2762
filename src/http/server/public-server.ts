/** The server that clients reach, with its limits on slow ones. */
import { type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type Logger } from 'pino';
import { MOST_WAITING_ANSWERS } from '../../core/logs/long-texts.js';
import { withoutSecrets } from '../../logging/logger.js';
import { limitAnswers } from './answer-timeout.js';
import { limitBodies } from './body-timeout.js';
import { jsonServer } from './server.js';

/** Each may hold the beginning of a request, which takes 44 KB of memory. */
const MOST_CONNECTIONS = 10_000;
/** Who sends or takes slowly does not hold a connection, and the memory behind it, for longer. See docs/limits.md. */
const HEADERS_TIMEOUT_MS = 20_000;
const BODY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 600_000;
/** Longer than proxies keep theirs: on a connection that is just being closed, a write would fail. */
const IDLE_TIMEOUT_MS = 125_000;
/** Of bodies and answers that may be of any length. */
const LONG_TIMEOUT_MS = 6 * 3_600_000;
const RATE = { windowMs: 60_000, windowBytes: 262_144 };

/** `isLong`: whether the body of a request or of its answer may be of any length. */
export function publicServer(
  listener: RequestListener,
  logger: Logger,
  isLong: (request: IncomingMessage) => boolean,
): Server {
  const server = jsonServer(listener, {
    requestTimeout: 0,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
  });
  server.maxConnections = MOST_CONNECTIONS;
  const limits = { ...RATE, longMs: LONG_TIMEOUT_MS, isLong };
  limitBodies(server, { ...limits, wholeMs: BODY_TIMEOUT_MS });
  limitAnswers(server, {
    ...limits,
    wholeMs: ANSWER_TIMEOUT_MS,
    mostWaiting: MOST_WAITING_ANSWERS,
    onCut: ({ method, url, socket }) => {
      const path = withoutSecrets(url?.split('?')[0] ?? '');
      logger.warn({ method, path, address: socket.remoteAddress }, 'slow client disconnected');
    },
  });
  return server;
}
