import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread on a module of ours, compiled or from source. `path` leads there from the root of the project, without
 * the extension. From source the thread has to load tsx by itself: what the process was given by `--import` does not
 * reach its threads on Node 20.
 */
export function startThread(path: string, options: WorkerOptions): Worker {
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
