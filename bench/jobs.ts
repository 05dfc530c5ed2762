import { type Job } from './children.js';

/** What runs in processes of its own, by name. Loaded only there. */
export const jobs: Readonly<Record<string, () => Promise<Job>>> = {
  seed: async () => (await import('./jobs/seed.js')).seed,
  'seed-bounds': async () => (await import('./blocking/seed-bounds.js')).seedBounds,
  watch: async () => (await import('./jobs/watch.js')).watch,
  'bare-koa': async () => (await import('./jobs/bare-koa.js')).bareKoa,
  busy: async () => (await import('./jobs/busy.js')).busy,
  load: async () => (await import('./jobs/load.js')).load,
  revisions: async () => (await import('./jobs/revisions.js')).revisions,
  put: async () => (await import('./jobs/put.js')).put,
  race: async () => (await import('./jobs/race.js')).race,
  fsync: async () => (await import('./jobs/engine.js')).fsync,
  checkpoint: async () => (await import('./jobs/engine.js')).checkpoint,
  'copied-rows': async () => (await import('./jobs/copied-rows.js')).copiedRows,
  'added-rows': async () => (await import('./jobs/added-rows.js')).addedRows,
  append: async () => (await import('./jobs/engine.js')).append,
  scan: async () => (await import('./jobs/engine.js')).scan,
  'event-store-server': async () => (await import('./jobs/event-store.js')).eventStoreServer,
  'event-store-calls': async () => (await import('./jobs/event-store.js')).eventStoreCalls,
  'copy-to-servers': async () => (await import('./servers/copy.js')).copyToServers,
  'bare-clients': async () => (await import('./servers/bare-clients.js')).bareClients,
  overload: async () => (await import('./jobs/overload.js')).overload,
  changes: async () => (await import('./jobs/changes.js')).changes,
  fill: async () => (await import('./jobs/fill.js')).fill,
  lag: async () => (await import('./jobs/lag.js')).lag,
};
