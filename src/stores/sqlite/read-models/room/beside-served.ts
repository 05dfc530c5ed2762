/** A filling beside what is served leaves room on the disk for the events, and for what is served. */
import { statfsSync } from 'node:fs';
import { messageOf } from '../../../../core/concurrency/retry.js';
import { StoreFault, type Generation } from '../../../../core/projection.js';
import { kindOf } from '../../connection.js';
import { DamagedReadModels, type ReadModelFile } from '../file.js';
import { type Generations } from '../generations.js';

/** In bytes, beside what the write-ahead log adds to the file when it is copied back. */
const KEPT_FREE = 32 * 1024 * 1024;
/** A look at the disk takes about as long as one of them. */
const UNCHECKED_STEPS = 16;
const SQLITE_FULL = 13;

export interface Room {
  /** What the disk of the file has left, in bytes. */
  readonly free: () => number;
  /** Whether the disk holds read models that are served from another file. */
  readonly isBesideOthers?: boolean;
}

/**
 * Work on a generation, null for a new one. Beside what is served, the work may `check` the room, and its errors
 * of a full disk or a damaged file are StoreFaults. Otherwise nothing is checked: readers wait for this generation.
 */
export type Beside = <T>(
  projection: string,
  generation: Generation | null,
  work: (check: () => void) => Promise<T>,
) => Promise<T>;

/** A file system that says nothing has room. */
export function freeBytes(directory: string): number {
  try {
    const { blocks, bavail, bsize } = statfsSync(directory);
    return blocks === 0 ? Infinity : bavail * bsize;
  } catch {
    return Infinity;
  }
}

export function besideServed(
  file: Pick<ReadModelFile, 'growth'>,
  generations: Pick<Generations, 'serving'>,
  { free, isBesideOthers = false }: Room,
): Beside {
  const check = (): void => {
    const [left, kept] = [free(), KEPT_FREE + file.growth()];
    if (left < kept) throw new StoreFault(`${FULL} (${left} bytes are free, and ${kept} must stay free)`);
  };
  return async (projection, generation, work) => {
    const served = generations.serving(projection);
    if (served === null ? !isBesideOthers : served === generation) return work(() => undefined);
    try {
      return await work(check);
    } catch (error) {
      throw faultOf(error);
    }
  };
}

const FULL = 'the disk is too full for other read models beside those that are served';

function faultOf(error: unknown): unknown {
  if (kindOf(error) === SQLITE_FULL) return new StoreFault(`${FULL} (${messageOf(error)})`, { cause: error });
  if (error instanceof DamagedReadModels) return new StoreFault(error.message, { cause: error });
  return error;
}

export function* checked(steps: Iterator<unknown>, check: () => void): Generator<void, void, void> {
  for (let step = 0; steps.next().done !== true; step += 1) {
    if (step % UNCHECKED_STEPS === 0) check();
    yield;
  }
}
