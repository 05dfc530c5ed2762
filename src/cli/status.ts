/** npm run status: how the projections of the running service are doing. */
import { type ProjectionStatus } from '../../projections/lane-state.js';
import { readConfig } from '../config.js';
import { askService } from '../control/client.js';
import { controlPath } from '../control/protocol.js';
import { fail } from './operate.js';

/** Exit status when a projection has stopped. */
const STOPPED = 2;

function describe({ projection, version, state, run, position, trouble, rebuild, reason }: ProjectionStatus): string {
  const where = `run ${run ?? '-'}, version ${version}, position ${position ?? '-'}`;
  const share = rebuild === null ? '' : `; being rebuilt, ${Math.floor(100 * rebuild.share)} %`;
  const why = reason ?? trouble;
  return `${projection.padEnd(14)} ${state.padEnd(7)} ${where}${share}${why === null ? '' : `; ${why}`}`;
}

try {
  const path = controlPath(readConfig(process.env).dataDir);
  const statuses = (await askService(path, 'status', {}, () => undefined)) as readonly ProjectionStatus[];
  for (const status of statuses) process.stdout.write(`${describe(status)}\n`);
  process.exitCode = statuses.some(({ state }) => state === 'stopped') ? STOPPED : 0;
} catch (error) {
  fail(error);
}
