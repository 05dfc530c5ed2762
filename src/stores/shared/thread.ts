import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread on a module of ours, compiled or from source. From source the thread has to load tsx by itself: what
 * the process was given by `--import` does not reach its threads on Node 20.
 */
export function startThread(entry: URL, options: WorkerOptions): Worker {
  if (!entry.pathname.endsWith('.ts')) return new Worker(entry, options);
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = `import(${tsx}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
  return new Worker(source, { ...options, eval: true, execArgv: [] });
}
