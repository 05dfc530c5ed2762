/** A service without HTTP on a directory of its own, and passwords that cost nothing to hash. */
import pino from 'pino';
import { applyPlatform, planPlatform, type ApplyOptions } from '../../src/platform-file/apply/apply.js';
import { stepsOf } from '../../src/platform-file/format/outcome.js';
import { parsePlatformFile } from '../../src/platform-file/format/platform-file.js';
import { type EventLog } from '../../src/core/event-log.js';
import { openService, type Service } from '../../src/composition/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const clock = (): Date => new Date('2026-03-01T12:00:00.000Z');

export const passwords: ApplyOptions['passwords'] = {
  hash: (password) => Promise.resolve(`hash of ${password}`),
  verify: (hash, password) => Promise.resolve(hash === `hash of ${password}`),
};

type Given = Partial<Omit<ApplyOptions, 'file' | 'clock' | 'force' | 'onProgress'>>;

export interface PlatformFixture {
  readonly service: Service;
  /** The steps taken, in words. */
  apply(text: string, given?: Given): Promise<readonly string[]>;
  plan(text: string, given?: Given): Promise<readonly string[]>;
  /** All events of the log, oldest first. */
  events(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function platformFixture(): Promise<PlatformFixture> {
  const directory = await temporaryDirectory();
  const fail = (error: Error): void => {
    throw error;
  };
  const service = await openService({
    dataDir: directory.path,
    clock,
    logger: pino({ level: 'silent' }),
    onFailed: fail,
  });
  await service.projections.ready;
  const options = (given: Given): Omit<ApplyOptions, 'file'> => ({
    env: {},
    prune: false,
    log: service.log,
    clock,
    passwords,
    readModels: service.readModels,
    definitions: service.definitions,
    ids: (kind) => service.idsOf(kind),
    ...given,
  });
  return {
    service,
    apply: async (text, given = {}) => {
      const parsed = parsePlatformFile(text);
      return stepsOf(await applyPlatform({ file: parsed.file, ...options(given) }), parsed);
    },
    plan: async (text, given = {}) => {
      const parsed = parsePlatformFile(text);
      return stepsOf(await planPlatform({ file: parsed.file, ...options(given) }), parsed);
    },
    events: () => eventsOf(service.log),
    close: async () => {
      await service.close();
      await directory.remove();
    },
  };
}

async function eventsOf(log: EventLog): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { events } of log.readAll(null, []))
    seen.push(...events.map(({ stream, type }) => `${stream} ${type}`));
  return seen;
}
