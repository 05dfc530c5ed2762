/** Recoveries over the stores of one service, what they log, and work for them. */
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { type FailingWork } from '../../src/core/recovery/failing-work.js';
import { type Interrupted, type InterruptedWork } from '../../src/core/recovery/interrupted-work.js';
import { recovery, type Recovery, type RecoveryOptions } from '../../src/composition/recovery.js';
import { FILES } from '../../src/files/file-view.js';
import { type Overview } from '../../src/operations/operations.js';
import { runService, type RunningService } from '../support/service.js';

export const EVERY_MS = 20;

export interface Recoveries {
  readonly stores: RunningService['service'];
  start(work: readonly InterruptedWork[], more?: Partial<RecoveryOptions>): Recovery;
  /** Each look-up of it counts as a round. */
  work(what: string, find: InterruptedWork['find']): InterruptedWork;
  items(what: string, ...items: readonly Interrupted[]): InterruptedWork;
  /** Since the last `stop`. */
  rounds(): number;
  moreRounds(count: number): Promise<void>;
  /** What the overview tells once that holds, asked after each round. */
  toldOnce(holds: (told: FailingWork) => boolean): Promise<FailingWork>;
  logged(msg: string): Readonly<Record<string, unknown>> | undefined;
  /** Since the last `stop`. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function recoveries(): Promise<Recoveries> {
  const service = await runService();
  const running: Recovery[] = [];
  const lines: Record<string, unknown>[] = [];
  let rounds = 0;
  const moreRounds: Recoveries['moreRounds'] = (count) => {
    const enough = rounds + count;
    return until(() => rounds >= enough);
  };
  const work: Recoveries['work'] = (what, find) => ({
    what,
    projection: FILES,
    find: (before) => {
      rounds += 1;
      return find(before);
    },
  });
  return {
    stores: service.service,
    start: (given, more) => {
      const stream = new PassThrough();
      stream.on('data', (line: Buffer) => lines.push(JSON.parse(String(line)) as Record<string, unknown>));
      const { service: stores } = service;
      const logger = pino(stream);
      const one = recovery({ work: given, stores, clock: stores.clock, logger, everyMs: EVERY_MS, ...more });
      running.push(one);
      return one;
    },
    work,
    items: (what, ...items) => work(what, () => Promise.resolve(items)),
    rounds: () => rounds,
    moreRounds,
    toldOnce: async (holds) => {
      for (;;) {
        const { failingWork } = (await service.operate('overview', {})) as Overview;
        if (holds(failingWork)) return failingWork;
        await moreRounds(1);
      }
    },
    logged: (msg) => lines.find((line) => line['msg'] === msg),
    lines: () => [...lines],
    stop: async () => {
      for (const one of running.splice(0)) await one.stop();
      lines.length = 0;
      rounds = 0;
    },
    close: () => service.stop(),
  };
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Notes when it is tried. */
export function failing(id: string, tries: number[]): Interrupted {
  return {
    id,
    resume: () => {
      tries.push(performance.now());
      return Promise.reject(new Error(`${id} resists`));
    },
  };
}

/** Notes its id each time that it is done. */
export function counting(id: string, done: string[]): Interrupted {
  return {
    id,
    resume: () => {
      done.push(id);
      return Promise.resolve(true);
    },
  };
}
