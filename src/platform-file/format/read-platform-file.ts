import { readFileSync, statSync } from 'node:fs';

/** The text of a platform file. Throws if the file is not UTF-8: replaced characters would be stored as names. */
export function readPlatformFile(path: string): string {
  // Its own error names no path.
  if (statSync(path).isDirectory()) throw new Error(`The platform file ${path} is a directory`);
  const bytes = readFileSync(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`The platform file ${path} is not UTF-8; save it in this encoding`, { cause });
  }
}
