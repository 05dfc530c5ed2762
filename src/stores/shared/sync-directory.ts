import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * After a power cut, the names in it are there. As far as can be: a directory may be one that its users cannot read, and some
 * file systems sync none.
 */
export function syncDirectoryIfPossible(directory: string): void {
  try {
    const descriptor = openSync(directory, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return;
  }
}
