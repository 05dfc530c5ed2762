import { readFileSync } from 'node:fs';
import { codeOf } from '../core/concurrency/retry.js';

/** The directory of the package, wherever this module was compiled to. */
export const packageRoot = rootAbove(new URL('.', import.meta.url));

export const version = versionIn(packageRoot) ?? '';

function rootAbove(folder: URL): URL {
  if (versionIn(folder) !== undefined) return folder;
  if (folder.pathname === '/') throw new Error('The package.json of the program is missing');
  return rootAbove(new URL('..', folder));
}

function versionIn(folder: URL): string | undefined {
  try {
    const { version: found } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string };
    return found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
