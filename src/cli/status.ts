/** tracker-ledger status: how the running service is doing, or all processes over the same servers. */
import { stateApartFromRebuild, UNSERVED, type ProjectionStatus } from '../../projections/engine/projection-status.js';
import { remedyFor } from '../../projections/health/remedy.js';
import { type FailingItem, type FailingWork } from '../core/recovery/failing-work.js';
import { overview } from './operate.js';
import { exitStatusOf } from './outlook.js';
import { print } from './print.js';

export async function printStatus(): Promise<void> {
  const { projections, failingWork } = await overview();
  for (const line of [...projections.map(describe), ...failingLines(failingWork)]) print(line);
  process.exitCode = exitStatusOf(projections);
}

function describe(status: ProjectionStatus): string {
  const { projection, version, served, stop, trouble, rebuild } = status;
  const name = `${projection.padEnd(14)} ${stateApartFromRebuild(status).padEnd(7)}`;
  const { generation, position, marks } = served ?? UNSERVED;
  const where = `generation ${generation ?? '-'}, version ${version}, position ${position ?? '-'}`;
  const share = rebuild === null ? '' : `; being rebuilt, ${Math.floor(100 * rebuild.share)} %`;
  const why = stop?.reason ?? trouble;
  const unavailable = Array.from(
    marks.values(),
    (mark) => `\n  unavailable: ${mark.stream} from revision ${mark.revision} on; ${mark.reason}`,
  );
  return `${name} ${where}${share}${why === null ? '' : `; ${why}`}${remedy(status)}${unavailable.join('')}`;
}

const NOT_SERVED = 'nothing is served of it, requests that need it are answered 503; ';

const remedy = ({ projection, served, stop }: ProjectionStatus): string =>
  stop === null ? '' : `; ${served === null ? NOT_SERVED : ''}${remedyFor(projection)}`;

function failingLines({ count, items }: FailingWork): readonly string[] {
  const left = count - items.length;
  return [...items.map(describeItem), ...(left > 0 ? [`interrupted work: ${left} more fail`] : [])];
}

const describeItem = ({ what, item, reason, failures, since, nextTry }: FailingItem): string =>
  `interrupted work: ${what} ${item} fails since ${since}, tries: ${failures}; next try ${nextTry}; ${reason}`;
