/** tracker-ledger status: how the running service is doing, or all processes over the same servers. */
import { type ProjectionStatus } from '../../projections/engine/projection-status.js';
import { remedyFor } from '../../projections/health/remedy.js';
import { type FailingItem, type FailingWork } from '../core/recovery/failing-work.js';
import { overview } from './operate.js';

/** Exit status when a projection has stopped. */
const STOPPED = 2;

export async function printStatus(): Promise<void> {
  const { projections, failingWork } = await overview();
  for (const line of [...projections.map(describe), ...failingLines(failingWork)]) process.stdout.write(`${line}\n`);
  process.exitCode = projections.some(({ state }) => state === 'stopped') ? STOPPED : 0;
}

function describe(status: ProjectionStatus): string {
  const { projection, version, state, run, position, trouble, rebuild, reason, marks } = status;
  const where = `run ${run ?? '-'}, version ${version}, position ${position ?? '-'}`;
  const share = rebuild === null ? '' : `; being rebuilt, ${Math.floor(100 * rebuild.share)} %`;
  const why = reason ?? trouble;
  const remedy = state === 'stopped' ? `; ${served(run)}${remedyFor(projection)}` : '';
  const unavailable = marks.map(
    (mark) => `\n  unavailable: ${mark.stream} from revision ${mark.revision} on; ${mark.reason}`,
  );
  return `${projection.padEnd(14)} ${state.padEnd(7)} ${where}${share}${why === null ? '' : `; ${why}`}${remedy}${unavailable.join('')}`;
}

const served = (run: number | null): string =>
  run === null ? 'nothing is served of it, requests that need it are answered 503; ' : '';

function failingLines({ count, items }: FailingWork): readonly string[] {
  const left = count - items.length;
  return [...items.map(describeItem), ...(left > 0 ? [`interrupted work: ${left} more fail`] : [])];
}

const describeItem = ({ what, item, reason, failures, since, nextTry }: FailingItem): string =>
  `interrupted work: ${what} ${item} fails since ${since}, tries: ${failures}; next try ${nextTry}; ${reason}`;
