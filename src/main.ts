/** tracker-ledger start: the service, from its configuration to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { markedStreams } from './composition/readiness.js';
import { readConfig, type Config } from './config/config.js';
import { controlPath } from './operations/control-protocol.js';
import { controlServer } from './operations/control-server.js';
import { demoGreeting, DEMO_SIGN_IN, fillDemo, isForDemo, LOOPBACK } from './demo/demo.js';
import { shutdown, type Shutdown } from './composition/shutdown.js';
import { type Readiness } from './http/health.js';
import { limitHeapGrowth } from './config/heap-growth.js';
import { createLogger, sharedOutput } from './logging/logger.js';
import { resemblesProduction, wordsFor } from './config/misspelt-variables.js';
import { applyAtStart } from './operations/apply-file.js';
import { type Operations } from './operations/operations.js';
import { warnOfDirectories } from './operations/unwritable-directories.js';
import { type ParsedFile } from './platform-file/format/platform-file.js';
import { readPlatformFile } from './platform-file/format/read-platform-file.js';
import { PLANNED_ON, SETTLED } from './platform-file/apply/planned-on.js';
import { readinessOf } from './composition/readiness.js';
import { openService, type Service } from './composition/service.js';
import { systemClock } from './config/system-clock.js';
import { passwords as passwordsOf } from './authentication/password.js';
import { version } from './config/version.js';
import { messageOf } from './core/concurrency/retry.js';

/** Of the 10 seconds that the end may take. */
const REQUEST_PATIENCE_MS = 7000;
/** The port opens when the service is ready, or after this time. */
const LISTEN_AT_LATEST_MS = 5000;
/** For what does not end with the service that it belonged to. */
const LINGER_MS = 1000;

// Only the service's own user may read its files.
process.umask(0o077);
limitHeapGrowth();
try {
  process.exitCode = await run(readConfig(process.env));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
// By itself, because `exit` would lose or swap the last lines of the log while they are being written.
setTimeout(() => process.exit(), LINGER_MS).unref();

/** Resolves to the exit status, when everything is closed. */
async function run(config: Config): Promise<number> {
  const logger = createLogger(config.logLevel, config.workers > 0 ? sharedOutput() : undefined);
  const end = shutdown(logger, config.drainMs);
  try {
    await start(config, logger, end);
    await end.asked;
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    await end.dispose();
  }
  logger.info('stopped');
  return end.failed.aborted ? 1 : 0;
}

async function start(given: Config, logger: Logger, end: Shutdown): Promise<void> {
  const platformFile = await parsedPlatform(given);
  // Commands reach servers by themselves.
  const socket = given.servers === undefined ? controlPath(given.dataDir) : undefined;
  // What answers requests is loaded while the threads of the stores start.
  const [service, { serve }, { operations }, { resumedWork }] = await Promise.all([
    openService({ ...given, clock: systemClock(given), logger, onFailed: end.fail }),
    import('./composition/http-server.js'),
    import('./operations/operations.js'),
    import('./composition/resumed-work.js'),
  ]);
  end.add(service.close);
  const passwords = passwordsOf();
  const { commands, completed } = completing(operations(service, passwords), end.signal);
  if (socket !== undefined) end.add((await controlServer(socket, commands)).close);
  end.add(() => Promise.race([completed(), sleep(LINGER_MS, undefined, { ref: false })]));

  warnOf(given, logger);
  const demo = await demoFor(given, service, logger);
  const config = demo ? { ...given, host: LOOPBACK } : given;
  let started = false;
  const atStart = { onServers: given.servers !== undefined, end: end.signal, logger };
  const prepare = async (): Promise<void> => {
    await service.projections.ready;
    if (platformFile !== undefined && canPlan(service, logger)) {
      await naming(given, () => applyAtStart(platformFile, commands, atStart));
    }
    if (demo) await fillDemo(config, service, commands, end.signal);
    started = true;
  };
  const prepared = prepare();
  await end.unlessAsked(Promise.race([prepared, sleep(LISTEN_AT_LATEST_MS, undefined, { ref: false })]));

  const readiness = (): Readiness => {
    const state = readinessOf(service, started);
    return { ...state, ready: state.ready && !end.signal.aborted };
  };
  const listening = await serve({ service, passwords, config, logger, readiness, version, demo });
  end.add(async () => {
    if (started) await sleep(config.drainMs, undefined, { signal: end.failed }).catch(() => undefined);
    await listening.close(REQUEST_PATIENCE_MS);
  });
  logger.info({ host: listening.host, port: listening.port, ...placeOf(config), version }, 'listening');
  await end.unlessAsked(prepared);
  if (readiness().ready) logger.info('ready');
  else logger.error(readiness().details, 'started, but not ready');
  if (demo) process.stderr.write(demoGreeting(listening.port));
  // Settings that are not known hinder neither. The first is not awaited: a mount that hangs delays nothing else.
  warnOfDirectories(config, service, logger).catch(() => undefined);
  await loadArchiving(service).catch(() => undefined);
  if (config.role === 'api') return;
  const resuming = resumedWork(service, config, logger);
  end.add(() => resuming.stop());
}

/** Now: Node refuses to load again what it once failed to load, as for want of a file descriptor. */
async function loadArchiving({ definitions }: Service): Promise<void> {
  if (definitions.platform().archiveDeletedArtifacts) await import('./artifacts/archive/archive-document.js');
}

/** At the end, an application completes the change that is under way before the stores are closed, and begins no other. */
function completing({ apply, ...others }: Operations, end: AbortSignal) {
  const running = new Set<Promise<unknown>>();
  const completingApply: Operations['apply'] = async (input, report, ended = end) => {
    const application = apply(input, report, AbortSignal.any([ended, end]));
    running.add(application);
    try {
      return await application;
    } finally {
      running.delete(application);
    }
  };
  return {
    commands: { ...others, apply: completingApply } satisfies Operations,
    completed: async (): Promise<void> => {
      await Promise.allSettled(running);
    },
  };
}

async function demoFor(config: Config, service: Service, logger: Logger): Promise<typeof DEMO_SIGN_IN | null> {
  if (config.servers !== undefined || !(await isForDemo(config, service))) return null;
  const { host, platformFile, dataDir } = config;
  if (host !== LOOPBACK) logger.warn({ host }, 'HOST is not used: the demo listens on this machine only');
  if (platformFile !== undefined) {
    const words = 'DATA_DIR holds the demo: PLATFORM_FILE adds to it; for a platform of your own, set another DATA_DIR';
    logger.warn({ platformFile, dataDir }, words);
  }
  return DEMO_SIGN_IN;
}

function warnOf(config: Config, logger: Logger): void {
  warnOfHost(config, logger);
  const { nodeEnv } = config;
  if (resemblesProduction(nodeEnv)) logger.warn({ nodeEnv }, 'NODE_ENV is not production; did you mean production?');
  for (const variable of config.misspelt) logger.warn(variable, wordsFor(variable));
}

/** In production a client could otherwise choose what `Location` and `svn_url` tell it, or whoever caches the answer. */
function warnOfHost({ nodeEnv, role, publicUrl }: Config, logger: Logger): void {
  if (nodeEnv !== 'production' || role === 'worker' || publicUrl !== undefined) return;
  logger.warn('PUBLIC_URL is not set: Location and svn_url name the host that each request names');
}

function placeOf({ servers, role, dataDir }: Config): object {
  return servers === undefined ? { dataDir } : { role, prefix: servers.prefix };
}

/** Outdated read models cannot show the changes of a file, but the service can start. */
function canPlan({ unhealthy, readModels }: Service, logger: Logger): boolean {
  const stopped = unhealthy().filter(({ state, projection }) => state === 'stopped' && SETTLED.includes(projection));
  if (stopped.length > 0) logger.error({ stopped }, 'PLATFORM_FILE is not applied: projections have stopped');
  const unavailable = markedStreams(readModels).filter(({ projection }) => PLANNED_ON.includes(projection));
  if (unavailable.length > 0) logger.error({ unavailable }, 'PLATFORM_FILE is not applied: streams are unavailable');
  return stopped.length === 0 && unavailable.length === 0;
}

/** Looked at before anything is opened: with errors in the file nothing is done. */
async function parsedPlatform(config: Config): Promise<ParsedFile | undefined> {
  const { platformFile } = config;
  if (platformFile === undefined) return undefined;
  return naming(config, async () => {
    const text = readPlatformFile(platformFile);
    const { parsePlatformFile } = await import('./platform-file/format/platform-file.js');
    return parsePlatformFile(text);
  });
}

/** Each error of the work names the platform file. */
async function naming<T>({ platformFile }: Config, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw new Error(`PLATFORM_FILE ${platformFile}: ${messageOf(error)}`, { cause: error });
  });
}
