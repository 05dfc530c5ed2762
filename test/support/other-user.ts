/** Root may do everything in every directory: specs of what a user may not do have a process of another user. */
import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compiled } from './build.js';
import { leaveOut } from './left-out.js';

export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

const NOBODY = { uid: 65534, gid: 65534 } as const;

/** Registers specs with a user that is not root, who may read the code. */
export function needsOtherUser(specs: string, register: (user: User) => void): void {
  if (process.getuid?.() !== 0) register({});
  else if (mayRead(compiled('src'))) register(NOBODY);
  else leaveOut(specs, 'root may do everything, and another user may not read the code');
}

function mayRead(directory: string): boolean {
  const script = `require('node:fs').readdirSync(${JSON.stringify(directory)})`;
  return spawnSync(process.execPath, ['-e', script], NOBODY).status === 0;
}

/** With everything in it. */
export function giveTo({ uid, gid }: User, directory: string): void {
  if (uid === undefined || gid === undefined) return;
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const path of [directory, ...names.map((name) => join(directory, name))]) chownSync(path, uid, gid);
}
