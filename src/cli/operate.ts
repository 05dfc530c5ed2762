/** A command of operations: handed to the running service, or carried out here when there is none, and over servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { statusIn, type StoredStatus } from '../../projections/engine/projection-status.js';
import { askService, NoService } from '../operations/control-client.js';
import { controlPath } from '../operations/control-protocol.js';
import { readConfig, type Config } from '../config/config.js';
import { isInDataDirectory, unusable } from '../config/data-directory.js';
import { createLogger, standardError } from '../logging/logger.js';
import { wordsFor } from '../config/misspelt-variables.js';
import { operations, type Overview } from '../operations/operations.js';
import { type Role } from '../config/server-config.js';
import { openService, type Service } from '../composition/service.js';
import { systemClock } from '../config/system-clock.js';
import { passwords } from '../authentication/password.js';
import { codeOf } from '../core/concurrency/retry.js';
import { unfinishedMigration } from '../stores/filesystem/migration-mark.js';
import { holderOf } from '../stores/sqlite/data-lock.js';
import { attended, Unattended } from './attendance.js';
import { fail } from './fail.js';
import { AFTERWARDS, inWords, movement, progressOf, readiness, type Statuses } from './outlook.js';
import { stoppable } from './stopping.js';
import { turnsIn } from './turns.js';
import { bounded, WAITING_TIMING, type Outlook, type WaitingTiming } from './waiting.js';

export interface Settings {
  readonly config: Config;
  /** Receives messages for the operator. */
  readonly say: (line: string) => void;
  readonly timing: WaitingTiming;
  /** Without any worker for so long, in milliseconds, the command does the work of one. */
  readonly unattendedMs: number;
}

/** A worker that is exchanged for another one is away for less. */
const UNATTENDED_MS = 15_000;
const CLOSE_PATIENCE_MS = 5000;

export async function operate(
  command: string,
  input: unknown,
  onProgress: (progress: unknown) => void = () => undefined,
  given: Partial<Settings> = {},
): Promise<unknown> {
  const settings = settingsFrom(given);
  const order: Order = { command, input, ...counted(onProgress) };
  if (settings.config.servers === undefined) {
    return handedOver(settings, order).catch((error: unknown) => {
      if (!(error instanceof NoService)) throw error;
      refuseMissing(settings.config.dataDir, command);
      return carriedOut(settings, 'all', order);
    });
  }
  return carriedOut(settings, 'api', order).catch((error: unknown) => {
    if (!(error instanceof Unattended)) throw error;
    settings.say(error.message);
    return carriedOut(settings, 'all', order);
  });
}

/** A mistyped DATA_DIR would be a new, empty platform. */
function refuseMissing(dataDir: string, command: string): void {
  if (command === 'apply' || isInDataDirectory(dataDir, '.')) return;
  throw new Error(`DATA_DIR ${dataDir} does not exist: the start of the service and "platform apply" make it`);
}

interface ToldOverview extends Pick<Overview, 'failingWork'> {
  readonly projections: Statuses;
}

/** Of the running service, or of all processes over the same servers. Running projections continue. */
export async function overview(given: Partial<Settings> = {}): Promise<ToldOverview> {
  const settings = settingsFrom(given);
  const order: Order = { command: 'overview', input: {}, ...counted(() => undefined) };
  const { servers, dataDir } = settings.config;
  const told =
    servers === undefined
      ? handedOver(settings, order).catch((error: unknown) => {
          throw error instanceof NoService ? withHolder(error, dataDir) : error;
        })
      : carriedOut(settings, 'api', order);
  const { projections, failingWork } = (await told) as Overview;
  return { projections: projections.map(statusIn), failingWork };
}

/** Such as a rebuild without a service. */
function withHolder(error: NoService, dataDir: string): Error {
  try {
    const holder = holderOf(dataDir);
    if (holder !== null) return new Error(`${error.message}, but ${dataDir} is in use by ${holder}`, { cause: error });
    return unfinishedMigration(dataDir) ?? error;
  } catch (refused) {
    return unusable(dataDir, refused);
  }
}

export function settingsFrom(given: Partial<Settings>): Settings {
  const settings: Settings = {
    config: given.config ?? readConfig(process.env),
    say: (line) => process.stderr.write(`${line}\n`),
    timing: WAITING_TIMING,
    unattendedMs: UNATTENDED_MS,
    ...given,
  };
  for (const variable of settings.config.misspelt) settings.say(wordsFor(variable));
  return settings;
}

interface Order extends Counted {
  readonly command: string;
  readonly input: unknown;
}

interface Counted {
  readonly report: (progress: unknown) => void;
  readonly count: () => number;
}

function counted(onProgress: (progress: unknown) => void): Counted {
  let count = 0;
  return {
    report: (progress) => {
      count += 1;
      onProgress(progress);
    },
    count: () => count,
  };
}

/** Throws NoService where no service runs. */
function handedOver({ config, say, timing }: Settings, { command, input, report, count }: Order): Promise<unknown> {
  const path = controlPath(config.dataDir);
  const look = async (): Promise<Outlook> => {
    const told = (await askService(path, 'status', {}, () => undefined)) as readonly StoredStatus[];
    const known = told.map(statusIn);
    return { words: inWords(known), ...movement(command, known, count()) };
  };
  const waiting = { until: `the service of ${path} has answered`, look, say, afterwards: AFTERWARDS[command] };
  return bounded(askService(path, command, input, report), waiting, timing).catch((error: unknown) => {
    throw codeOf(error) === 'EACCES' ? unusable(config.dataDir, error) : error;
  });
}

/** Over servers, `api` leaves the projections to the workers; `all` runs those that no other process runs. */
async function carriedOut(settings: Settings, role: Role, order: Order): Promise<unknown> {
  const { config, say, timing } = settings;
  const look = (): Outlook => ({ words: '', signs: [] });
  const logger = createLogger(config.logLevel === 'silent' ? 'silent' : 'warn', standardError());
  const opening = openService({ ...config, role, clock: systemClock(config), logger, onFailed: fail });
  const until = config.servers === undefined ? 'the stores are open' : 'EventStoreDB and MongoDB answer';
  const service = await bounded(opening, { until, look, say }, timing);
  const over = new AbortController();
  const { signal } = over;
  try {
    if (role === 'api' && order.command !== 'overview')
      await attended(service, { ...settings, ...order, over: signal });
    return await doneBy(settings, service, order, signal);
  } finally {
    over.abort();
    await Promise.race([service.close(), sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
  }
}

/** What does not read from the read models does not wait for them, and a rebuild is there to mend them. */
const AT_ONCE: readonly string[] = ['rebuild', 'overview'];

async function doneBy(
  { say, timing }: Settings,
  service: Service,
  { command, input, report, count }: Order,
  ended: AbortSignal,
): Promise<unknown> {
  const { withLease, shown } = turnsIn(service);
  const carryOut = operations({ ...service, withLease }, passwords())[command];
  if (carryOut === undefined) throw new Error(`There is no command ${command}`);
  if (!AT_ONCE.includes(command)) {
    const until = 'the read models are as far as the log';
    await bounded(service.projections.ready, { until, look: () => readiness(service), say }, timing);
  }
  const look = async (): Promise<Outlook> => shown(await progressOf(service, command, count()));
  return bounded(
    stoppable(command, carryOut)(input, report, ended),
    { until: `${command} is done`, look, say },
    timing,
  );
}
