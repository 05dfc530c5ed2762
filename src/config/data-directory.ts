/** Errors of commands that may not use DATA_DIR, such as those of another user than the service's. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../core/concurrency/retry.js';

/** Throws where it is not known: `existsSync` is false where the process may not look. */
export function isInDataDirectory(dataDir: string, name: string): boolean {
  try {
    return statSync(join(dataDir, name), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

export const unusable = (dataDir: string, error: unknown): Error =>
  new Error(`DATA_DIR ${dataDir} cannot be used: ${messageOf(error)}`, { cause: error });
