import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Of the embedded stores. They begin with a first message. */
export const LOG_THREAD = 'src/stores/sqlite/event-log/thread';
export const PROJECTIONS_THREAD = 'projections/workers/worker';

/** By their paths: threads that nobody has asked for yet. */
const ahead = new Map<string, Worker>();

/**
 * Starts a thread that is asked for later, without options: it loads its modules while this thread loads its own. Until
 * then it keeps no process from its end.
 */
export function startAhead(path: string): void {
  const worker = start(path, {});
  ahead.set(path, worker);
  worker.unref();
  // Who asks for it gets another one, and the error of that.
  worker.once('error', () => ahead.delete(path));
}

/**
 * Starts a thread on a module of ours, compiled or from source. `path` leads there from the root of the project, without
 * the extension.
 */
export function startThread(path: string, options: WorkerOptions = {}): Worker {
  const worker = ahead.get(path);
  if (worker === undefined) return start(path, options);
  ahead.delete(path);
  worker.ref();
  return worker;
}

/** From source the thread has to load tsx by itself: what the process was given by `--import` does not reach it on Node 20. */
function start(path: string, options: WorkerOptions): Worker {
  const entry = moduleAt(path);
  if (!entry.pathname.endsWith('.ts')) return new Worker(entry, options);
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = `import(${tsx}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
  return new Worker(source, { ...options, eval: true, execArgv: [] });
}

/** A build puts this module in another directory than its source has, so the root is looked for above it. */
export function moduleAt(path: string): URL {
  const file = `${path}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  let folder = new URL('.', import.meta.url);
  for (;;) {
    const found = new URL(file, folder);
    if (existsSync(found)) return found;
    const above = new URL('..', folder);
    if (above.href === folder.href) throw new Error(`The module ${file} is missing`);
    folder = above;
  }
}
