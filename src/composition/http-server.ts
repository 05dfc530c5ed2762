/** Composition root of HTTP: the routes on a service's ports, listening. */
import { type Logger } from 'pino';
import { reflectedLog } from '../../projections/health/reflected-log.js';
import { accessKeyVerifier } from '../authentication/access-keys/verify-access-key.js';
import { lastUse } from '../authentication/access-keys/last-use.js';
import { accessKeyRoutes } from '../authentication/access-keys/routes.js';
import { authentication } from '../authentication/authenticate.js';
import { followsUsers } from '../authentication/follows-users.js';
import { archiveIn } from '../artifacts/archive/commands.js';
import { attachedFiles } from '../artifacts/attachments/claims.js';
import { isVisible } from '../artifacts/attachments/is-visible.js';
import { createApp, createHealthApp, type AppOptions } from '../http/app.js';
import { cursors } from '../http/pages/cursors.js';
import { artifactRoutes } from '../artifacts/routes.js';
import { type ArtifactPorts } from '../artifacts/ports.js';
import { type Viewer } from '../authorization/viewer.js';
import { type Config } from '../config/config.js';
import { packageRoot } from '../config/version.js';
import { type DeletionPorts } from '../artifacts/deletions/ports.js';
import { deletionRoutes } from '../artifacts/deletions/routes.js';
import { carriesFile } from '../files/addresses.js';
import { FILE_IDS } from '../files/file-events.js';
import { type FilePorts } from '../files/ports.js';
import { fileRoutes } from '../files/routes.js';
import { describedOf } from '../http/bare-routes.js';
import { documentationRoutes } from '../http/documentation/documentation.js';
import { explorerRoutes } from '../http/explorer/explorer.js';
import { frontPage, type About } from '../http/front-page/front-page.js';
import { closingOf } from '../http/server/close-server.js';
import { listen, type Address } from '../http/server/listen.js';
import { publicServer } from '../http/server/public-server.js';
import { HEALTH, type Readiness } from '../http/health.js';
import { indexRoutes } from '../http/openapi/index-route.js';
import { openApiRoutes } from '../http/openapi/openapi.js';
import { type Route } from '../http/route.js';
import { projectRoutes } from '../projects/routes.js';
import { API_EXAMPLES } from './generated/api-examples.js';
import { readingAllAnswered } from './reading/early-answers.js';
import { withFairReading, withLimitedWrites } from './concurrency-limits.js';
import { listenWithReadingProcesses } from './reading/listening.js';
import { type Service } from './service.js';
import { svnRoutes } from '../svn/routes.js';
import { jwtSecrets } from '../authentication/tokens/jwt-secrets.js';
import { tokenRoutes } from '../authentication/tokens/routes.js';
import { tokens as tokensOf } from '../authentication/tokens/token.js';
import { reportRoutes } from '../trackers/report-routes.js';
import { allTrackers, trackerRoutes } from '../trackers/routes.js';
import { userGroupRoutes } from '../user-groups/routes.js';
import { credentials as credentialsOf } from '../authentication/credentials.js';
import { signInThrottle } from '../authentication/sign-in-throttle.js';
import { type Passwords } from '../authentication/password.js';
import { userRoutes } from '../users/routes.js';
import { unshownChanges } from '../users/unshown-changes.js';

export interface ServeOptions {
  readonly service: Service;
  readonly passwords: Passwords;
  readonly config: Config;
  readonly logger: Logger;
  readonly readiness: () => Readiness;
  readonly version: string;
  readonly demo: About['demo'];
}

export interface Listening extends Address {
  /** Takes no more requests, lets those under way finish for as long as `patienceMs`. */
  close(patienceMs: number): Promise<void>;
}

/** A worker serves only its health. */
export async function serve(given: ServeOptions): Promise<Listening> {
  const isWorker = given.config.role === 'worker';
  // Read once: a reading process that starts later signs and believes as this one does.
  const options = isWorker ? given : { ...given, config: { ...given.config, jwtSecrets: jwtSecrets(given.config) } };
  const { config, logger } = options;
  const app = isWorker ? createHealthApp(options) : appOf(options);
  if (config.workers > 0) return listenWithReadingProcesses(app, options);
  const server = publicServer(app, logger, carriesFile);
  const close = closingOf(server);
  return { ...(await listen(server, config)), close };
}

export const artifactPorts = (service: Service): ArtifactPorts => {
  const ids = service.idsOf('artifact');
  return { ...service, nextArtifactId: () => ids.next() };
};

export const deletionPorts = (service: Service, { archiveDir }: Config, logger: Logger): DeletionPorts => ({
  ...service,
  logger,
  archive: archiveIn(archiveDir, service),
});

export const filePorts = (service: Service): FilePorts => {
  const ids = service.idsOf(FILE_IDS);
  return {
    ...service,
    nextFileId: () => ids.next(),
    attachedFiles: (artifactId) => attachedFiles(artifactId, service.log),
    isVisible: (file, viewer) => isVisible(file, viewer, service),
  };
};

const appOf = (options: ServeOptions) => createApp({ ...options, ...mountedOf(options) });

/** All routes, and what tells who asks. */
export function mountedOf({
  service,
  passwords,
  config,
  logger,
  version,
  demo,
}: Omit<ServeOptions, 'readiness'>): Omit<Required<AppOptions<Viewer>>, 'config' | 'logger' | 'readiness'> {
  const { definitions, clock, counters } = service;
  const secrets = jwtSecrets(config);
  const tokens = tokensOf({ secrets, definitions, clock });
  const accessKeys = accessKeyVerifier({ definitions, clock, used: lastUse({ ...service, logger }) });
  const signIns = signInThrottle(counters, clock, (account, address) => {
    // A name that is no account's may be a password in the wrong place.
    const known = definitions.userNamed(account)?.username ?? null;
    logger.warn({ account: known, address }, 'sign-in throttled after too many failures');
  });
  const credentials = credentialsOf({ definitions, passwords, signInThrottle: signIns, clock });
  const unshown = unshownChanges();
  const parts = { ...service, accessKeys, tokens, credentials, followsUsers: followsUsers(service), unshown };
  const [keyIds, repositoryIds] = [service.idsOf('access-key'), service.idsOf('svn')];
  const files = fileRoutes(filePorts(service));
  const routes: readonly Route<Viewer>[] = [
    ...tokenRoutes(parts),
    ...accessKeyRoutes({ ...service, unshown, nextAccessKeyId: () => keyIds.next() }),
    ...userRoutes(service),
    ...userGroupRoutes(service),
    ...projectRoutes(service),
    ...svnRoutes({ ...service, nextRepositoryId: () => repositoryIds.next() }),
    ...trackerRoutes(service),
    ...reportRoutes(service),
    ...files.api,
    ...withLimitedWrites([
      ...artifactRoutes(artifactPorts(service)),
      ...deletionRoutes(deletionPorts(service, config, logger)),
    ]),
  ];
  const authenticate = authentication(parts);
  const stores = config.servers === undefined ? ['SQLite'] : ['EventStoreDB', 'MongoDB'];
  const page = frontPage({ version, stores, readModels: () => reflectedLog(service), demo });
  const bareRoutes = [...files.bare, allTrackers, page, ...explorerRoutes, ...documentationRoutes(packageRoot)];
  const outside = [...describedOf(bareRoutes), ...HEALTH];
  const fair = withFairReading(routes);
  const reading = service.early === undefined ? fair : readingAllAnswered(fair, service.early);
  const described = [...reading, ...indexRoutes(routes, version)];
  const all = [...described, ...openApiRoutes(described, { version, examples: API_EXAMPLES, outside })];
  return { routes: all, bareRoutes, authenticate, cursors: cursors(secrets) };
}
