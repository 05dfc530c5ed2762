/** Composition root of HTTP: the routes on a service's ports, listening. */
import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Logger } from 'pino';
import { createApp } from './app.js';
import { artifactRoutes } from './artifacts/routes.js';
import { type ArtifactPorts } from './artifacts/ports.js';
import { type Config } from './config.js';
import { type Readiness } from './http/health.js';
import { openApiRoutes } from './http/openapi.js';
import { type Route } from './http/route.js';
import { jsonServer } from './http/server.js';
import { projectRoutes } from './projects/routes.js';
import { type Service } from './service.js';
import { jwtSecrets } from './tokens/jwt-secrets.js';
import { tokenRoutes } from './tokens/routes.js';
import { tokens as tokensOf } from './tokens/token.js';
import { trackerRoutes } from './trackers/routes.js';
import { userGroupRoutes } from './user-groups/routes.js';
import { credentials as credentialsOf } from './users/credentials.js';
import { failedSignIns } from './users/failed-sign-ins.js';
import { type Passwords } from './users/password.js';
import { userRoutes } from './users/routes.js';

export interface ServeOptions {
  readonly service: Service;
  readonly passwords: Passwords;
  readonly config: Config;
  readonly logger: Logger;
  readonly readiness: () => Readiness;
  readonly version: string;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Takes no more requests, lets those under way finish for as long as `patienceMs`. */
  close(patienceMs: number): Promise<void>;
}

/** Headers and bodies that trickle in do not hold a connection for longer. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 20_000;

export async function serve(options: ServeOptions): Promise<Listening> {
  const { config } = options;
  const app = appOf(options);
  const callback = app.callback();
  const server = jsonServer((request, response) => void callback(request, response), {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
  });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port, close: (patienceMs) => closed(server, patienceMs) };
}

export const artifactPorts = (service: Service): ArtifactPorts => {
  const ids = service.idsOf('artifact');
  return { ...service, nextArtifactId: () => ids.next() };
};

function appOf({ service, passwords, config, logger, readiness, version }: ServeOptions) {
  const { directory, clock, counters } = service;
  const tokens = tokensOf({ secrets: jwtSecrets(config), directory, clock });
  const signIns = failedSignIns(counters, clock);
  const credentials = credentialsOf({ directory, passwords, failedSignIns: signIns, clock });
  const routes: readonly Route[] = [
    ...tokenRoutes({ ...service, tokens, credentials }),
    ...userRoutes(service),
    ...userGroupRoutes(service),
    ...projectRoutes(service),
    ...trackerRoutes(service),
    ...artifactRoutes(artifactPorts(service)),
  ];
  const all = [...routes, ...openApiRoutes(routes, version)];
  return createApp({ routes: all, logger, readiness, config, directory, tokens, credentials });
}

async function closed(server: Server, patienceMs: number): Promise<void> {
  const impatience = setTimeout(() => {
    server.closeAllConnections();
  }, patienceMs);
  server.close();
  server.closeIdleConnections();
  await once(server, 'close');
  clearTimeout(impatience);
}
