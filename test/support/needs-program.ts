import { spawnSync } from 'node:child_process';

/**
 * Registers specs that drive another program where that program is found. Elsewhere one line says what is left out, or,
 * with REQUIRE_ALL=1, a failing spec does.
 */
export function needsProgram(program: string, specs: string, register: () => void): void {
  if (spawnSync(program, ['--version']).error === undefined) {
    register();
    return;
  }
  const message = `${specs}: left out, because ${program} is not installed`;
  if (process.env['REQUIRE_ALL'] !== '1') {
    console.log(message);
    return;
  }
  it(specs, () => {
    throw new Error(message);
  });
}
