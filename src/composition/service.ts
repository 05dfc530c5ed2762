/** Composition root of a service, apart from HTTP: its stores, and what is known of the platform in memory. */
import { embeddedStores } from './embedded.js';
import { earlyAnswers } from './reading/early-answers.js';
import { watchedWaits, type VainWaits } from './reading/vain-waits.js';
import { renderingOnThread } from './rendering.js';
import { type ServerStoresOptions } from './servers.js';
import { type Stores, type StoresOptions } from './stores.js';
import { type EarlyAnswers } from '../artifacts/ports.js';
import { type TextRendering } from '../artifacts/rendering/text-rendering.js';
import { boundedLog } from '../core/logs/bounded-log.js';
import { type Clock } from '../core/clock.js';
import { watchedLog, type WatchedLog } from '../core/logs/watched-log.js';
import { type EventLog } from '../core/event-log.js';
import { idAllocator, type IdAllocator } from '../core/ids.js';
import { type ReadModels } from '../core/read-models.js';
import { type Definitions } from '../definitions/definitions.js';
import { liveDefinitions } from '../definitions/live-definitions.js';
import { type Role, type Servers } from '../config/server-config.js';

export interface Service extends Stores {
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly texts: TextRendering;
  readonly log: WatchedLog;
  /** Where no other process answers reads. */
  readonly early?: EarlyAnswers;
  /** On the embedded stores with reading processes. */
  readonly vainWaits?: VainWaits;
  /** The read models, apart from `vainWaits`. */
  readonly unwatched?: ReadModels;
  /** One allocator for each kind of id. */
  idsOf(kind: string): IdAllocator;
}

export interface ServiceOptions extends StoresOptions {
  /** Left out, everything is kept in the data directory. */
  readonly servers?: Servers | undefined;
  readonly role?: Role;
  /** Processes that answer reads beside this one. */
  readonly workers?: number;
}

/** Throws when another service has the data directory, and when a server cannot be reached. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { clock, servers, role = 'all', workers = 0 } = options;
  const stores = servers === undefined ? await embeddedStores(options) : await storesOn({ ...options, servers, role });
  const log = watchedLog(boundedLog(stores.log), clock);
  const texts = renderingOnThread(options.logger);
  const following = new AbortController();
  const close = async (): Promise<void> => {
    following.abort();
    await texts.close();
    await stores.close();
  };
  try {
    const definitions = await liveDefinitions(stores.readModels, following.signal);
    const service = { ...stores, log, definitions, clock, texts, idsOf: allocators(log, clock), close };
    if (servers !== undefined) return service;
    const { pace } = stores;
    if (workers === 0 && pace !== undefined) return { ...service, ...earlyAnswers(stores.readModels, pace) };
    return { ...service, ...watchedWaits(stores.readModels, following.signal) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The clients of the servers are large: who has no servers does not load them. */
async function storesOn(options: ServerStoresOptions): Promise<Stores> {
  const { serverStores } = await import('./servers.js');
  return serverStores(options);
}

function allocators(log: EventLog, clock: Clock): Service['idsOf'] {
  const known = new Map<string, IdAllocator>();
  return (kind) => {
    const allocator = known.get(kind) ?? idAllocator(log, kind, { clock });
    known.set(kind, allocator);
    return allocator;
  };
}
