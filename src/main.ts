/** npm start: the service, from its configuration to its end. */
import { readFileSync } from 'node:fs';
import { type Logger } from 'pino';
import { carryForwardLinks } from './artifacts/recovery.js';
import { readConfig, type Config } from './config.js';
import { controlServer } from './control/server.js';
import { controlPath } from './control/protocol.js';
import { demoGreeting, holdsDemo, prepareDemo } from './demo.js';
import { log } from './log.js';
import { operations } from './operations.js';
import { artifactPorts, serve } from './serve.js';
import { openService, type Service } from './service.js';
import { systemClock } from './system-clock.js';
import { passwords as passwordsOf, type Passwords } from './users/password.js';
import { version } from './version.js';

const RECOVERY_MS = 30_000;
/** What is older than this is not under way any longer. */
const OVERDUE_MS = 30_000;
/** Of the 10 seconds that the end may take. */
const REQUEST_PATIENCE_MS = 7000;
const END_MS = 9500;

try {
  await start(readConfig(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function start(given: Config): Promise<void> {
  const logger = log(given.logLevel);
  const fail = failing(logger);
  const service = await openService({ dataDir: given.dataDir, clock: systemClock(given), logger, onFailed: fail });
  const passwords = passwordsOf();
  const control = await controlServer(controlPath(given.dataDir), operations(service, passwords));
  let ready = false;
  const caughtUp = service.projections.ready.then(() => {
    ready = true;
  });

  const config = await prepared(given, service, passwords, caughtUp);
  const readiness = () => ({ ready, details: {} });
  const listening = await serve({ service, passwords, config, logger, readiness, version });
  logger.info({ host: listening.host, port: listening.port, dataDir: config.dataDir, version }, 'listening');
  if (holdsDemo(config)) process.stderr.write(demoGreeting(listening.port));

  const stopRecovery = recovering(service, caughtUp, logger);
  onSignal(async (signal) => {
    logger.info({ signal }, 'stopping');
    stopRecovery();
    await listening.close(REQUEST_PATIENCE_MS);
    await control.close();
    await service.close();
    logger.info('stopped');
    logger.flush();
  }, fail);
}

/** What has to be in the log before the first request: the platform that operations describe, or the built-in one. */
async function prepared(
  config: Config,
  service: Service,
  passwords: Passwords,
  caughtUp: Promise<void>,
): Promise<Config> {
  if (config.platformFile !== undefined) {
    const text = readFileSync(config.platformFile, 'utf8');
    await caughtUp;
    await operations(service, passwords)['apply']?.({ text, prune: false, env: process.env }, () => undefined);
  }
  return prepareDemo(config, service, passwords, caughtUp);
}

/** Goes on with what a crash has cut off, at the start and from time to time. */
function recovering(service: Service, caughtUp: Promise<void>, logger: Logger): () => void {
  const ports = artifactPorts(service);
  let running = caughtUp;
  const recover = (before: Date): void => {
    running = running
      .then(() => carryForwardLinks(ports, before))
      .then((links) => {
        if (links > 0) logger.warn({ links }, 'links were carried forward');
      })
      .catch((error: unknown) => {
        logger.error({ err: error }, 'links could not be carried forward');
      });
  };
  recover(service.clock());
  const timer = setInterval(() => {
    recover(new Date(service.clock().getTime() - OVERDUE_MS));
  }, RECOVERY_MS);
  return () => {
    clearInterval(timer);
  };
}

/** Without its log or its projections the service can only be started anew: what is acknowledged is in the log. */
function failing(logger: Logger): (error: Error) => void {
  return (error) => {
    logger.fatal({ err: error }, 'a part of the service has failed');
    logger.flush();
    process.exit(1);
  };
}

function onSignal(stop: (signal: string) => Promise<void>, fail: (error: Error) => void): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => {
        fail(new Error('the service did not come to its end in time'));
      }, END_MS).unref();
      stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          fail(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}
