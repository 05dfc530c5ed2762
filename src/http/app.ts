import { type RequestListener } from 'node:http';
import Koa, { type Context, type Middleware } from 'koa';
import { type Logger } from 'pino';
import { inTurn } from '../core/concurrency/others-turn.js';
import { accessLog, requestLog } from './access-log.js';
import { client, type ClientOptions } from './client/client.js';
import { asMeant } from './client/as-meant.js';
import { type Cursors } from './pages/cursors.js';
import { decoding } from './decode.js';
import { mountBare, type BareRoute } from './bare-routes.js';
import { ClientLeft } from './gone.js';
import { defaultHeaders } from './headers.js';
import { forSiteAdministrators, health, whenReady, type Readiness } from './health.js';
import { mount, unknownPath } from './mount.js';
import { problems } from './problems.js';
import { requestId } from './request-id.js';
import { type Asker, type Authenticate, type Route } from './route.js';
import { compression } from './server/compression.js';
import { keptAnswers } from './server/kept-answers.js';
import { validation } from './validate.js';
import { codeOf } from '../core/concurrency/retry.js';

export interface AppOptions<Viewer> {
  readonly authenticate: Authenticate<Viewer>;
  readonly routes: readonly Route<Viewer>[];
  readonly cursors: Cursors;
  /** Outside /api. */
  readonly bareRoutes?: readonly BareRoute<Viewer>[];
  readonly logger: Logger;
  readonly readiness: () => Readiness;
  readonly config: ClientOptions & { readonly invalidCredentialsStatus: 500 | 401 };
}

/** It knows no users, and `status` tells the same. */
const NOBODY = (): Promise<boolean> => Promise.resolve(false);

/** For a process that serves only its health. */
export function createHealthApp({
  logger,
  readiness,
  config,
}: Pick<AppOptions<never>, 'logger' | 'readiness' | 'config'>): RequestListener {
  const app = new Koa();
  app.use(requestId());
  app.use(accessLog(requestLog(logger)));
  app.use(problems({ invalidCredentialsStatus: config.invalidCredentialsStatus, logger }));
  app.use(defaultHeaders());
  app.use(health(readiness, NOBODY));
  app.use(unknownPath());
  return listenerOf(app);
}

/** Of one response: a long answer to a request with a body has eleven, and Node warns of more than ten. */
const MOST_LISTENERS = 20;

function listenerOf(app: Koa): RequestListener {
  const callback = app.callback();
  return (request, response) => {
    response.setMaxListeners(MOST_LISTENERS);
    void callback(request, response);
  };
}

/** That the client has left may show at its connection first. */
const GONE: ReadonlySet<unknown> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

/** What a client has left before it was begun is not begun. */
const begun: Middleware = (ctx, next) =>
  inTurn(async () => {
    if (ctx.res.closed) throw new ClientLeft();
    await next();
  }, callerOf(ctx));

/** As the request tells before its credentials are checked: to find out that they are wrong takes little time. */
const callerOf = ({ state: { address }, req: { headers } }: Context): string =>
  [address, headers['x-auth-userid'], headers['x-auth-accesskey'], headers.authorization].join(' ');

/** The order of middleware, nothing else. */
export function createApp<Viewer extends Asker>({
  authenticate,
  routes,
  cursors,
  bareRoutes = [],
  logger,
  readiness,
  config,
}: AppOptions<Viewer>): RequestListener {
  const app = new Koa();
  const log = requestLog(logger);
  const kept = keptAnswers(authenticate, log);
  const failed = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    // Koa reports the error of an answer once more with the end of its connection.
    if (ctx !== undefined && failed.has(ctx)) return;
    if (ctx !== undefined) failed.add(ctx);
    const requestId = ctx?.state.requestId;
    if (GONE.has(codeOf(error))) logger.info({ requestId }, 'client disconnected before the end of the response');
    else logger.warn({ err: error, requestId }, 'response failed');
  });

  app.use(kept.keeping);
  app.use(asMeant());
  app.use(requestId());
  app.use(accessLog(log));
  app.use(compression());
  app.use(problems({ invalidCredentialsStatus: config.invalidCredentialsStatus, logger }));
  app.use(defaultHeaders());
  app.use(client(config, logger));
  app.use(health(readiness, forSiteAdministrators(authenticate)));
  app.use(whenReady(readiness));
  app.use(begun);
  mount(app, routes, { decode: decoding(), authenticate, cursors, validation: validation() });
  mountBare(app, bareRoutes, authenticate);
  app.use(unknownPath());
  return kept.before(listenerOf(app));
}
