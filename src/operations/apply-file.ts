import { stepsOf, type Outcome } from '../platform-file/format/outcome.js';
import { type ParsedFile } from '../platform-file/format/platform-file.js';
import { type Logger } from 'pino';
import { type Operations } from './operations.js';
import { messageOf, PermanentError, retry } from '../core/concurrency/retry.js';
import { LeaseLost, LeaseRefused } from '../core/lease.js';
import { Problem } from '../core/problem.js';

/** Throws InvalidPlatformFile. */
export async function applyFile(
  parsed: ParsedFile,
  { apply }: Operations,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const outcome = await apply({ file: parsed.file, prune: false, env }, () => undefined);
  stepsOf(outcome as Outcome, parsed);
}

interface Start {
  /** Embedded stores have no outages that end by themselves. */
  readonly onServers: boolean;
  readonly end: AbortSignal;
  readonly logger: Logger;
}

/** Again after an outage: an application is idempotent. A service that cannot apply the file can still answer reads. */
export async function applyAtStart(parsed: ParsedFile, commands: Operations, { onServers, end, logger }: Start) {
  const attempt = async (): Promise<void> => {
    try {
      await applyFile(parsed, commands, process.env);
    } catch (error) {
      if (onServers && mayPass(error)) throw error;
      if (!(error instanceof LeaseRefused)) throw new PermanentError(messageOf(error), { cause: error });
      logger.error({ reason: error.message }, 'PLATFORM_FILE is not applied: MongoDB refuses writes');
    }
  };
  const retrying = (error: unknown, retryInMs: number): void => {
    logger.warn({ reason: messageOf(error), retryInMs }, 'PLATFORM_FILE is not applied yet, retrying');
  };
  await retry(attempt, end, retrying);
}

/** Of an outage, or of a pause of this process. */
function mayPass(error: unknown): boolean {
  if (error instanceof LeaseLost || (error instanceof Problem && error.kind === 'unavailable')) return true;
  return error instanceof Error && mayPass(error.cause);
}
