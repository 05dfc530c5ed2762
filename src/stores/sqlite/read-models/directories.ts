/** Each release has a directory of its own for its read models, so that another release can go on with those it has. */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLocked } from '../data-lock.js';
import { SCHEMA } from './schema.js';

/** In DATA_DIR. */
const DIRECTORIES = 'read-models';
const filesIn = (directory: string): readonly string[] =>
  ['', '-wal', '-shm'].map((suffix) => join(directory, `read-models.sqlite${suffix}`));

/** By the versions of the projections, and the shape of the file. */
export function readModelsDirectory(
  dataDir: string,
  projections: readonly { readonly name: string; readonly version: number }[],
): string {
  const versions = projections.map(({ name, version }) => `${name} ${version}`).toSorted();
  const id = createHash('sha256')
    .update([SCHEMA, ...versions].join('\n'))
    .digest('hex')
    .slice(0, 12);
  return join(dataDir, DIRECTORIES, id);
}

/** Keeps those of this release, those that a release is preparing, and of all others those that were written last. */
export function removeOldReadModels(dataDir: string, own: string): void {
  const [, ...old] = othersIn(dataDir, own).toSorted((one, other) => other.writtenMs - one.writtenMs);
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
}

/** Of a data directory that no process has open: the next start fills all read models from the log. */
export function removeReadModels(dataDir: string): void {
  rmSync(join(dataDir, DIRECTORIES), { recursive: true, force: true });
}

interface ReadModelsOfRelease {
  readonly path: string;
  readonly writtenMs: number;
}

function othersIn(dataDir: string, own: string): readonly ReadModelsOfRelease[] {
  const directories = join(dataDir, DIRECTORIES);
  return readdirSync(directories)
    .map((name) => join(directories, name))
    .filter((path) => path !== own && !isLocked(path))
    .map((path) => ({ path, writtenMs: lastWritten(filesIn(path)) }))
    .filter(({ writtenMs }) => writtenMs > 0);
}

/** In milliseconds; 0 where there is none of the files. */
function lastWritten(paths: readonly string[]): number {
  return Math.max(0, ...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
