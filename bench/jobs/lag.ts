/** How long after its commit an event is in the read models, while writers go on as fast as they can. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { openService } from '../../src/composition/service.js';
import { procFile } from '../children.js';
import { quantile } from '../statistics.js';
import { submissions } from './events.js';

export interface LagInput {
  readonly directory: string;
  readonly writers: number;
  readonly seconds: number;
  /** As the service's own do before they answer; otherwise the log takes all that it can. */
  readonly waiting: boolean;
}

export interface LagResult {
  readonly perSecond: number;
  /** Milliseconds; of the first and of the last third too, which tells whether it grows. */
  readonly p50: number;
  readonly p99: number;
  readonly early: number;
  readonly late: number;
  /** MiB a second that went to the disk, of log and read models. */
  readonly written: number;
}

const PATIENCE_MS = 60_000;
/** What is not compiled yet takes several times as long. */
const WARM_UP_MS = 2000;
const FIRST_ID = 10_000_000;
const FIRST_WAITING_ID = 20_000_000;

export async function lag({ directory, writers, seconds, waiting }: LagInput): Promise<LagResult> {
  const onFailed = (error: Error): never => {
    throw error;
  };
  const logger = pino({ level: 'silent' });
  const service = await openService({ dataDir: directory, clock: () => new Date(), logger, onFailed });
  await service.projections.ready;
  const make = submissions(service.definitions);
  const lags: number[] = [];
  const before = writtenBytes();
  const began = performance.now() + WARM_UP_MS;
  const end = began + seconds * 1000;
  const firstId = waiting ? FIRST_WAITING_ID : FIRST_ID;
  let id = firstId;

  const write = async (): Promise<void> => {
    while (performance.now() < end) {
      const { stream, event, metadata } = make((id += 1));
      const appended = await service.log.append(stream, -1, [{ ...event, id: randomUUID() }], metadata);
      const durable = performance.now();
      const shown = service.readModels.caughtUp(ARTIFACTS, appended.position, PATIENCE_MS).then(() => {
        if (durable > began) lags.push(performance.now() - durable);
      });
      if (waiting) await service.readModels.caughtUp(ARTIFACTS, appended.position);
      else void shown;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const elapsed = (performance.now() - began + WARM_UP_MS) / 1000;
  const written = (writtenBytes() - before) / MIB / elapsed;
  const last = await service.log.end();
  if (last !== null) await service.readModels.caughtUp(ARTIFACTS, last, PATIENCE_MS);
  await service.close();
  const third = Math.floor(lags.length / 3);
  return {
    perSecond: (id - firstId) / elapsed,
    p50: quantile(lags, 0.5),
    p99: quantile(lags, 0.99),
    early: quantile(lags.slice(0, third), 0.5),
    late: quantile(lags.slice(-third), 0.5),
    written,
  };
}

const MIB = 1024 * 1024;

/** By this process, as Linux counts them. */
const writtenBytes = (): number => Number(/^write_bytes: (\d+)$/m.exec(procFile(process.pid, 'io'))?.[1]);
