/** npm run status: how the projections of the running service are doing, or of all processes over the same servers. */
import { type ProjectionStatus } from '../../projections/lane-state.js';
import { readConfig, type Config } from '../config.js';
import { askService } from '../control/client.js';
import { controlPath } from '../control/protocol.js';
import { log } from '../log.js';
import { openService } from '../service.js';
import { systemClock } from '../system-clock.js';
import { fail } from './operate.js';

/** Exit status when a projection has stopped. */
const STOPPED = 2;

function describe({ projection, version, state, run, position, trouble, rebuild, reason }: ProjectionStatus): string {
  const where = `run ${run ?? '-'}, version ${version}, position ${position ?? '-'}`;
  const share = rebuild === null ? '' : `; being rebuilt, ${Math.floor(100 * rebuild.share)} %`;
  const why = reason ?? trouble;
  return `${projection.padEnd(14)} ${state.padEnd(7)} ${where}${share}${why === null ? '' : `; ${why}`}`;
}

async function told(config: Config): Promise<readonly ProjectionStatus[]> {
  if (config.servers === undefined) {
    const answer = await askService(controlPath(config.dataDir), 'status', {}, () => undefined);
    return answer as readonly ProjectionStatus[];
  }
  // Only looks: whoever runs projections goes on to.
  const watching = { ...config, role: 'api' as const, clock: systemClock(config), logger: log('warn'), onFailed: fail };
  const service = await openService(watching);
  try {
    return await service.projections.status();
  } finally {
    await service.close();
  }
}

try {
  const statuses = await told(readConfig(process.env));
  for (const status of statuses) process.stdout.write(`${describe(status)}\n`);
  process.exitCode = statuses.some(({ state }) => state === 'stopped') ? STOPPED : 0;
} catch (error) {
  fail(error);
}
