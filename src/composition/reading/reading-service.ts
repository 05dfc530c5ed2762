/** The service of a reading process: the read models, and what is known of the platform in memory. */
import { type Logger } from 'pino';
import { renderingOnThread } from '../rendering.js';
import { type Service } from '../service.js';
import { type Clock } from '../../core/clock.js';
import { type BlobStore } from '../../core/blob-store.js';
import { type WatchedLog } from '../../core/logs/watched-log.js';
import { markedReadModels } from '../../core/marked-read-models.js';
import { NOTHING_FAILS } from '../../core/recovery/failing-work.js';
import { liveDefinitions } from '../../definitions/live-definitions.js';
import { withDefinitionsOf } from '../../definitions/with-definitions-of.js';
import { memoryCounters } from '../../stores/memory/counters.js';
import { sqliteReadModels } from '../../stores/sqlite/read-models/reader.js';

export interface ReadingService extends Service {
  /** Brings what is in memory up to the last commit. */
  readonly refresh: () => void;
}

/** A request that needs what only the main process has is passed on before it gets here. */
const elsewhere = (): never => {
  throw new Error('Only the main process has the log, the projections and the files');
};

/** Every other member is elsewhere. */
const allBut = <Part extends object>(here: Partial<Part>): Part =>
  new Proxy(here, { get: (_, name) => Reflect.get(here, name) ?? elsewhere }) as Part;

const log = allBut<WatchedLog>({ refusing: () => undefined });
const blobs = allBut<BlobStore>({});
const projections = allBut<Service['projections']>({
  names: [],
  ready: Promise.resolve(),
  close: () => Promise.resolve(),
});

/** Projections that do not go on are noticed by the main process, which then answers every request. */
const watched = { unhealthy: () => [], unserved: () => [], unreachable: () => [] };

const failingWork = allBut<Service['failingWork']>({ last: () => Promise.resolve(NOTHING_FAILS) });

export async function readingService(directory: string, clock: Clock, logger: Logger): Promise<ReadingService> {
  const stored = sqliteReadModels(directory);
  const texts = renderingOnThread(logger);
  const following = new AbortController();
  const readModels = markedReadModels(withDefinitionsOf(stored, stored.refresh));
  const definitions = await liveDefinitions(readModels, following.signal);
  return {
    ...watched,
    log,
    blobs,
    projections,
    failingWork,
    readModels,
    definitions,
    texts,
    clock,
    counters: memoryCounters(clock),
    withLease: elsewhere,
    idsOf: () => ({ next: elsewhere }),
    refresh: stored.refresh,
    close: async () => {
      following.abort();
      await texts.close();
      await stored.close();
    },
  };
}
