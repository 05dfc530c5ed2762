/** The whole service, listening on a port of its own: on its embedded stores, or on those that TEST_STORES names. */
import { readFileSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { readConfig } from '../../src/config/config.js';
import { disposables, type Disposables } from '../../src/core/concurrency/disposables.js';
import { type Clock } from '../../src/core/clock.js';
import { operations } from '../../src/operations/operations.js';
import { serve, type Listening, type ServeOptions } from '../../src/composition/http-server.js';
import { openService, type Service } from '../../src/composition/service.js';
import { passwords as passwordsOf } from '../../src/authentication/password.js';
import { systemClock } from '../../src/composition/system-clock.js';
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
  operate(command: string, input: object): Promise<unknown>;
  stop(): Promise<void>;
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
  { platform, env = {}, logger = pino({ level: 'silent' }), clock }: RunOptions,
  opened: Disposables,
): Promise<RunningService> {
  const temporary = await temporaryDirectory();
  opened.add(temporary.remove);
  // One that is given is kept for the next service over it.
  const { DATA_DIR: given } = env;
  const stores = await storesOf(given ?? temporary.path);
  if (given === undefined) opened.add(stores.remove);
  const standing = { DATA_DIR: temporary.path, PORT: '0', LOG_LEVEL: 'silent', NODE_ENV: 'test' };
  const config = readConfig({ ...standing, ...stores.env, ...env });
  const onFailed = (error: Error): never => {
    throw error;
  };
  const service = await openService({ ...config, clock: clock ?? systemClock(config), logger, onFailed });
  opened.add(service.close);
  const passwords = passwordsOf();
  const commands = operations(service, passwords);
  const operate = (command: string, input: object): Promise<unknown> => commands[command]!(input, () => undefined);
  await service.projections.ready;
  await operate('apply', { text: platform ?? readFileSync(PLATFORM, 'utf8'), prune: false, env: {} });
  const readiness = () => ({ started: true, ready: true, details: {} });
  const serving = { service, passwords, config, logger, readiness, version: '0.0.0', demo: null };
  const listening = await serve(serving);
  opened.add(() => listening.close(1000));
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
