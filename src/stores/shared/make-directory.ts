import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectoryIfPossible } from './sync-directory.js';

/**
 * Makes a directory, and those above it. `recursive` of Node 20 never returns where the parent exists and the file system
 * answers ENOENT nevertheless, as /proc does.
 */
export function makeDirectory(path: string, mode: number): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
    syncDirectoryIfPossible(parent);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}
