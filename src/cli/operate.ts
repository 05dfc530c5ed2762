/** A command of operations: handed to the running service, or carried out here when there is none, and over servers. */
import { askService, NoService } from '../control/client.js';
import { controlPath } from '../control/protocol.js';
import { readConfig } from '../config.js';
import { log } from '../log.js';
import { operations } from '../operations.js';
import { openService } from '../service.js';
import { systemClock } from '../system-clock.js';
import { passwords } from '../users/password.js';

export async function operate(
  command: string,
  input: unknown,
  onProgress: (progress: unknown) => void = () => undefined,
): Promise<unknown> {
  process.umask(0o077);
  const config = readConfig(process.env);
  if (config.servers === undefined) {
    try {
      return await askService(controlPath(config.dataDir), command, input, onProgress);
    } catch (error) {
      if (!(error instanceof NoService)) throw error;
    }
  }
  // Over servers it is one process more among those there are, and keeps up to date what nobody else does.
  const service = await openService({
    ...config,
    role: 'all',
    clock: systemClock(config),
    logger: log('warn'),
    onFailed: fail,
  });
  try {
    await service.projections.ready;
    const carryOut = operations(service, passwords())[command];
    if (carryOut === undefined) throw new Error(`There is no command ${command}`);
    return await carryOut(input, onProgress);
  } finally {
    await service.close();
  }
}

/** For the end of a command: what went wrong goes to standard error, in words. */
export function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
