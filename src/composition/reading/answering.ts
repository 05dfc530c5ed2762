/** How a reading process serves its connections: some requests from the read models, all others by the main process. */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Logger } from 'pino';
import { all } from '../../../projections/all.js';
import { carriesFile } from '../../files/addresses.js';
import { createApp } from '../../http/app.js';
import { closingOf } from '../../http/server/close-server.js';
import { forwarding } from '../../http/server/forwarding.js';
import { servingHandedOver } from '../../http/server/handed-over.js';
import { publicServer } from '../../http/server/public-server.js';
import { type Passwords } from '../../authentication/password.js';
import { readModelsDirectory } from '../../stores/sqlite/read-models/directories.js';
import { mountedOf } from '../http-server.js';
import { systemClock } from '../../config/system-clock.js';
import { isAnsweredHere } from './answered-here.js';
import { type Start } from './messages.js';
import { readingService } from './reading-service.js';

export interface Answering {
  readonly take: (socket: Socket) => void;
  /** Whether every request goes to the main process. */
  readonly standAside: (aside: boolean) => void;
  /** Lets requests under way finish for as long as `patienceMs`. */
  readonly close: (patienceMs: number) => Promise<void>;
}

const READY = { started: true, ready: true, details: {} };

/** The main process checks them. */
const passwords: Passwords = {
  hash: () => Promise.reject(new Error('Only the main process checks passwords')),
  verify: () => Promise.reject(new Error('Only the main process checks passwords')),
};

export async function answering({ config, version, readModels, socket }: Start, logger: Logger): Promise<Answering> {
  // An upgrade in place may have exchanged the program under a main process that still runs.
  if (readModelsDirectory(config.dataDir, all) !== readModels) throw new Error('Another release has been installed');
  const service = await readingService(readModels, systemClock(config), logger);
  const mounted = mountedOf({ service, passwords, config, logger, version, demo: null });
  const answer = createApp({ config, logger, readiness: () => READY, ...mounted });
  const main = forwarding(socket, (error) => {
    logger.warn({ err: error }, 'main process unavailable');
  });
  let isAside = true;

  /** The state of the request's arrival, or a newer one: a client may have been told of a write just before. */
  const isUpToDate = (): boolean => {
    try {
      service.refresh();
      return true;
    } catch (error) {
      logger.error({ err: error }, 'read models unavailable');
      return false;
    }
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (!isAside && isAnsweredHere(request) && isUpToDate()) answer(request, response);
    else main.forward(request, response);
  };
  const server = publicServer(serve, logger, carriesFile);
  const close = closingOf(server);
  return {
    take: servingHandedOver(server),
    standAside: (aside) => {
      isAside = aside;
    },
    close: async (patienceMs) => {
      await close(patienceMs);
      main.close();
      await service.close();
    },
  };
}
