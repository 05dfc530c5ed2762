/** The main process with reading processes: it accepts connections for them, and answers what they pass on. */
import { type RequestListener } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { type Logger } from 'pino';
import { all } from '../../../projections/all.js';
import { type Config } from '../../config/config.js';
import { unusable } from '../../config/data-directory.js';
import { carriesFile } from '../../files/addresses.js';
import { believeAddress } from '../../http/client/told-address.js';
import { type Readiness } from '../../http/health.js';
import { closingOf } from '../../http/server/close-server.js';
import { servingHandedOver } from '../../http/server/handed-over.js';
import { listen, type Address } from '../../http/server/listen.js';
import { listenPrivately, socketPath } from '../../http/server/private-socket.js';
import { publicServer } from '../../http/server/public-server.js';
import { jsonServer } from '../../http/server/server.js';
import { readModelsDirectory } from '../../stores/sqlite/read-models/directories.js';
import { type Service } from '../service.js';
import { readingProcesses } from './reading-processes.js';

interface ListeningOptions {
  readonly service: Pick<Service, 'unhealthy' | 'unserved' | 'vainWaits'>;
  readonly config: Config;
  readonly logger: Logger;
  readonly readiness: () => Readiness;
  readonly version: string;
}

/** The reading processes cut off slow clients, close connections, and refuse headers that are too large. */
const UNLIMITED = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: 65_536 };

export async function listenWithReadingProcesses(
  listener: RequestListener,
  { service, config, logger, readiness, version }: ListeningOptions,
): Promise<Address & { readonly close: (patienceMs: number) => Promise<void> }> {
  const socket = socketPath(config.dataDir, 'inner');
  const inner = jsonServer((request, response) => {
    believeAddress(request);
    listener(request, response);
  }, UNLIMITED);
  // The reading processes refuse too many headers, and add some.
  inner.maxHeadersCount = 0;
  await listenPrivately(inner, socket).catch((error: unknown) => {
    throw unusable(config.dataDir, error);
  });

  const { unhealthy, unserved, vainWaits } = service;
  // For connections while no reading process is ready.
  const own = publicServer(listener, logger, carriesFile);
  const serveHere = servingHandedOver(own);
  const closeOwn = closingOf(own);
  const processes = readingProcesses({
    count: config.workers,
    start: { config, version, readModels: readModelsDirectory(config.dataDir, all), socket },
    onLost: (connection) => {
      serve(connection);
    },
    isStarted: () => readiness().started,
    isTroubled: () => vainWaits?.isBehind() === true || unhealthy().length > 0 || unserved().length > 0,
    logger,
  });
  vainWaits?.onVain(processes.standAside);

  const serve = (connection: Socket): void => {
    if (!processes.take(connection)) serveHere(connection);
  };
  const front = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, serve);
  const close = async (patienceMs: number): Promise<void> => {
    front.close();
    await Promise.all([processes.close(patienceMs), closeOwn(patienceMs)]);
    inner.close();
    inner.closeAllConnections();
  };
  try {
    return { ...(await listen(front, config)), close };
  } catch (error) {
    await close(0);
    throw error;
  }
}
