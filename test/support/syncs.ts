/** What is synced to the disk, and how it is at that time. */
import { fstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

export interface Synced {
  /** Below the root; empty for the root itself. */
  readonly path: string;
  /** The text of a file, or the names in a directory. */
  readonly holds: string | readonly string[];
}

/** The syncs of file handles below the root while work is done, in their order. */
export async function syncsIn(root: string, work: () => Promise<unknown>): Promise<readonly Synced[]> {
  const handle = await open(root);
  const handles = Object.getPrototypeOf(handle) as Pick<FileHandle, 'sync'>;
  await handle.close();
  const { sync } = handles;
  const seen: Synced[] = [];
  handles.sync = async function (this: FileHandle) {
    seen.push(syncedOf(root, fstatSync(this.fd).ino));
    return sync.call(this);
  };
  try {
    await work();
  } finally {
    handles.sync = sync;
  }
  return seen;
}

function syncedOf(root: string, inode: number): Synced {
  const paths = ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })];
  const path = paths.find((each) => statSync(join(root, each)).ino === inode) ?? 'a file that is not there';
  const whole = join(root, path);
  return { path, holds: statSync(whole).isDirectory() ? readdirSync(whole).sort() : readFileSync(whole, 'utf8') };
}
