/** npm start: the service, from its configuration to its end. */
import { readFileSync } from 'node:fs';
import { type Logger } from 'pino';
import { carryForwardLinks } from './artifacts/recovery.js';
import { readConfig, type Config } from './config.js';
import { controlPath } from './control/protocol.js';
import { controlServer } from './control/server.js';
import { carryForwardDeletions } from './deletions/recovery.js';
import { demoGreeting, fillDemo, isForDemo, LOOPBACK } from './demo.js';
import { ending } from './ending.js';
import { type Readiness } from './http/health.js';
import { detachForgotten, tidyFiles } from './files/upkeep.js';
import { log } from './log.js';
import { finishNames } from './names/recovery.js';
import { operations } from './operations.js';
import { PLANNED_ON } from './platform/apply.js';
import { parsePlatformFile } from './platform/platform-file.js';
import { artifactPorts, deletionPorts, serve } from './serve.js';
import { openService, type Service } from './service.js';
import { systemClock } from './system-clock.js';
import { passwords as passwordsOf } from './users/password.js';
import { version } from './version.js';

const RECOVERY_MS = 30_000;
/** What is older than this is not under way any longer. */
const OVERDUE_MS = 30_000;
/** Of the 10 seconds that the end may take. */
const REQUEST_PATIENCE_MS = 7000;
/** Whoever waits for the port finds a service that is ready, unless that takes longer than this. */
const LISTEN_AT_LATEST_MS = 5000;
/** For what does not end with the service that it belonged to. */
const LINGER_MS = 1000;

// What the service writes is nobody else's to read.
process.umask(0o077);
try {
  process.exitCode = await run(readConfig(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// By itself, because `exit` would lose or swap the last lines of the log while they are being written.
setTimeout(() => process.exit(), LINGER_MS).unref();

/** Resolves to the exit status, when everything is closed. */
async function run(config: Config): Promise<number> {
  const logger = log(config.logLevel);
  const end = ending(logger);
  try {
    await start(config, logger, end);
    await end.asked;
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    await end.close();
  }
  logger.info('stopped');
  return end.hasFailed() ? 1 : 0;
}

async function start(given: Config, logger: Logger, end: ReturnType<typeof ending>): Promise<void> {
  const platformFile = platformText(given);
  // Commands reach servers by themselves.
  const socket = given.servers === undefined ? controlPath(given.dataDir) : undefined;
  const service = await openService({ ...given, clock: systemClock(given), logger, onFailed: end.fail });
  end.first(service.close);
  const passwords = passwordsOf();
  const commands = operations(service, passwords);
  if (socket !== undefined) {
    const control = await controlServer(socket, commands);
    end.first(() => control.close());
  }

  const hasDemo = given.servers === undefined && (await isForDemo(given, service));
  const config = hasDemo ? { ...given, host: LOOPBACK } : given;
  let ready = false;
  const prepare = async (): Promise<void> => {
    await service.projections.ready;
    if (platformFile !== undefined && canPlan(service, logger))
      await commands.apply({ text: platformFile, prune: false, env: process.env }, () => undefined);
    if (hasDemo) await fillDemo(config, service, commands, end.signal);
    ready = true;
  };
  const prepared = prepare();
  await end.unlessAsked(Promise.race([prepared, laterBy(LISTEN_AT_LATEST_MS)]));

  const readiness = (): Readiness => ({ ready, details: detailsOf(service) });
  const listening = await serve({ service, passwords, config, logger, readiness, version });
  end.first(() => listening.close(REQUEST_PATIENCE_MS));
  logger.info({ host: listening.host, port: listening.port, ...placeOf(config), version }, 'listening');
  await end.unlessAsked(prepared);
  logger.info('ready');
  if (hasDemo) process.stderr.write(demoGreeting(listening.port));
  if (config.role !== 'api') end.first(recovering(service, config, logger, end.signal));
}

function placeOf({ servers, role, dataDir }: Config): object {
  return servers === undefined ? { dataDir } : { role, prefix: servers.prefix };
}

/** What a file would change cannot be told from read models that have stopped; that is no reason not to serve. */
function canPlan({ heldUp }: Service, logger: Logger): boolean {
  const stopped = heldUp().filter(({ state, projection }) => state === 'stopped' && PLANNED_ON.includes(projection));
  if (stopped.length > 0) logger.error({ stopped }, 'PLATFORM_FILE is not applied: projections have stopped');
  return stopped.length === 0;
}

/** Looked at before anything is opened: with errors in the file nothing is done. */
function platformText({ platformFile }: Config): string | undefined {
  if (platformFile === undefined) return undefined;
  try {
    const text = readFileSync(platformFile, 'utf8');
    parsePlatformFile(text);
    return text;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`PLATFORM_FILE ${platformFile}: ${reason}`, { cause: error });
  }
}

function detailsOf({ heldUp }: Service): object {
  const projections = heldUp();
  return projections.length === 0 ? {} : { projections };
}

function laterBy(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

/** Goes on with what a crash has cut off, now and from time to time. Answers how to stop that. */
function recovering(service: Service, config: Config, logger: Logger, signal: AbortSignal): () => void {
  const ports = artifactPorts(service);
  const deletions = deletionPorts(service, config, logger);
  let running = Promise.resolve();
  const cutOff = [
    { what: 'links', resume: (before: Date) => carryForwardLinks(ports, before) },
    { what: 'deletions', resume: (before: Date) => carryForwardDeletions(deletions, before) },
    { what: 'claims of files', resume: (before: Date) => detachForgotten(service, before) },
    { what: 'names', resume: (before: Date) => finishNames(service, before) },
  ];
  const recover = (before: Date): void => {
    for (const { what, resume } of cutOff) {
      running = running
        .then(() => resume(before))
        .then((count) => {
          if (count > 0) logger.warn({ what, count }, 'what had been cut off was carried forward');
        })
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ err: error, what }, 'what has been cut off could not be carried forward');
        });
    }
    running = running
      .then(() => tidyFiles(service))
      .catch((error: unknown) => {
        if (!signal.aborted) logger.error({ err: error }, 'files that nobody needs could not be removed');
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
