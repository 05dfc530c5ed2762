/** The whole service, listening on a port of its own: on its embedded stores, or on those that TEST_STORES names. */
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { readConfig } from '../../src/config/config.js';
import { disposables, type Disposables } from '../../src/core/concurrency/disposables.js';
import { type Clock } from '../../src/core/clock.js';
import { operations } from '../../src/operations/operations.js';
import { stepsOf, type Outcome } from '../../src/platform-file/format/outcome.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { serve, type Listening, type ServeOptions } from '../../src/composition/http-server.js';
import { openService, type Service } from '../../src/composition/service.js';
import { passwords as passwordsOf } from '../../src/authentication/password.js';
import { systemClock } from '../../src/config/system-clock.js';
import { client, type Client } from './client.js';
import { storesOf } from './stores.js';
import { temporaryDirectory } from './temporary-directory.js';

export interface RunningService extends Client {
  readonly service: Service;
  readonly directory: string;
  readonly listening: Listening;
  readonly serving: ServeOptions;
  /** The id of a tracker's field, or of a value of it. */
  field(tracker: string, name: string): number;
  value(tracker: string, field: string, label: string): number;
  tracker(itemName: string): number;
  user(username: string): number;
  /** The text is that of a platform file. */
  operate(command: string, input: Input): Promise<unknown>;
  stop(): Promise<void>;
}

interface Input {
  readonly text?: string;
  readonly [member: string]: unknown;
}

const PLATFORM = new URL('platform.yaml', import.meta.url);

export interface RunOptions {
  readonly platform?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A silent one, unless somebody wants to know. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** Users of the built-in test platform have the password "<username>'s password". */
export async function runService(options: RunOptions = {}): Promise<RunningService> {
  const opened = disposables();
  try {
    return await started(options, opened);
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

async function started(
  { platform, env = {}, logger: given, clock }: RunOptions,
  opened: Disposables,
): Promise<RunningService> {
  const { logger, readingProcesses } = given === undefined ? quietLogger() : { logger: given, readingProcesses: none };
  const temporary = await temporaryDirectory();
  opened.add(temporary.remove);
  // One that is given is kept for the next service over it.
  const { DATA_DIR: kept } = env;
  const stores = await storesOf(kept ?? temporary.path);
  if (kept === undefined) opened.add(stores.remove);
  const standing = { DATA_DIR: temporary.path, PORT: '0', LOG_LEVEL: 'silent', NODE_ENV: 'test' };
  const config = readConfig({ ...standing, ...stores.env, ...env });
  const onFailed = (error: Error): never => {
    throw error;
  };
  const service = await openService({ ...config, clock: clock ?? systemClock(config), logger, onFailed });
  opened.add(service.close);
  const passwords = passwordsOf();
  const commands = operations(service, passwords);
  const operate = async (command: string, input: Input): Promise<unknown> => {
    if (input.text === undefined) return commands[command]!(input, () => undefined);
    const parsed = parsePlatformFile(input.text);
    const outcome = await commands[command]!({ ...input, file: parsed.file }, () => undefined);
    return stepsOf(outcome as Outcome, parsed);
  };
  await service.projections.ready;
  await operate('apply', { text: platform ?? readFileSync(PLATFORM, 'utf8'), prune: false, env: {} });
  const readiness = () => ({ started: true, ready: true, details: {} });
  const alone = { ...config, workers: 0 };
  // What a spec serves beside it has no reading processes: a data directory has one socket for them.
  const serving = { service, passwords, config: alone, logger, readiness, version: '0.0.0', demo: null };
  const listening = await serve({ ...serving, config });
  opened.add(() => listening.close(1000));
  await readingProcesses(config.workers);
  return {
    ...client(`http://127.0.0.1:${listening.port}`),
    ...namesIn(service),
    service,
    directory: temporary.path,
    listening,
    serving,
    operate,
    stop: opened.dispose,
  };
}

const none = (): Promise<void> => Promise.resolve();

/** Its lines are lost. `readingProcesses` resolves when so many are ready. */
function quietLogger(): { logger: Logger; readingProcesses: (count: number) => Promise<void> } {
  const ready = new EventEmitter();
  let count = 0;
  const write = (line: string): void => {
    if (!line.includes('reading process ready')) return;
    count += 1;
    ready.emit('one');
  };
  return {
    logger: pino({ level: 'info' }, { write }),
    readingProcesses: async (wanted) => {
      while (count < wanted) await once(ready, 'one');
    },
  };
}

function namesIn({ definitions }: Service) {
  const trackerOf = (itemName: string) => {
    const trackers = definitions.projects().flatMap(({ id }) => definitions.trackersOf(id));
    return trackers.find(({ view }) => view.itemName === itemName)!;
  };
  const fieldOf = (tracker: string, name: string) => trackerOf(tracker).fieldNamed(name)!;
  return {
    tracker: (itemName: string) => trackerOf(itemName).id,
    field: (tracker: string, name: string) => fieldOf(tracker, name).id,
    value: (tracker: string, field: string, label: string) =>
      fieldOf(tracker, field).values!.find((value) => value.label === label)!.id,
    user: (username: string) => definitions.userNamed(username)!.id,
  };
}
