/** A command of operations: handed to the running service, or carried out here when there is none. */
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
  try {
    return await askService(controlPath(config.dataDir), command, input, onProgress);
  } catch (error) {
    if (!(error instanceof NoService)) throw error;
  }
  const logger = log('warn');
  const clock = systemClock(config);
  const service = await openService({ dataDir: config.dataDir, clock, logger, onFailed: fail });
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
