/** The Python of the specs: the environment that `.ci/run` makes, or that of the machine. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ENVIRONMENT = fileURLToPath(new URL('../../.ci/cache/python/bin/', import.meta.url));

const succeeds = (program: string, args: readonly string[]): boolean => spawnSync(program, args).status === 0;

/** An interpreter that can import these modules. PYTHON names one that is tried first. */
export function pythonWith(...modules: readonly string[]): string | undefined {
  const interpreters = [process.env['PYTHON'] ?? '', `${ENVIRONMENT}python`, 'python3'];
  return interpreters.find((python) => python !== '' && succeeds(python, ['-c', `import ${modules.join(', ')}`]));
}

/** A program that a Python package installs. */
export function pythonProgram(name: string): string | undefined {
  const installed = `${ENVIRONMENT}${name}`;
  if (existsSync(installed)) return installed;
  return succeeds(name, ['--version']) ? name : undefined;
}
