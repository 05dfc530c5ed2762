import { spawnSync } from 'node:child_process';
import { leaveOut } from './left-out.js';

/** Registers specs that drive another program where that program is found. */
export function needsProgram(program: string, specs: string, register: () => void): void {
  if (spawnSync(program, ['--version']).error === undefined) register();
  else leaveOut(specs, `${program} is not installed`);
}
