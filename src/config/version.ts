import { readFileSync } from 'node:fs';

/** Of the package, wherever this module was compiled to. */
export const version = versionAbove(new URL('.', import.meta.url));

function versionAbove(folder: URL): string {
  const file = new URL('package.json', folder);
  try {
    const { version: found } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    return found;
  } catch (error) {
    if (folder.pathname === '/') throw error;
    return versionAbove(new URL('..', folder));
  }
}
