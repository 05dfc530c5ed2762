/** What readers wait while all read models are filled anew and others write. */
import { setTimeout } from 'node:timers/promises';
import { askService } from '../../src/operations/control-client.js';
import { controlPath } from '../../src/operations/control-protocol.js';
import { sent } from '../clients.js';
import { type RunningService, type Stage } from '../stage.js';
import { quantile } from '../statistics.js';
import { fixed, type Measured } from '../table.js';
import { besideWriters } from '../writers.js';
import { othersIn } from './get-one.js';
import { spread } from './pages.js';
import { type Row } from './row.js';

const READERS = 4;
/** Of each, after an answer: so that the processors are not what they wait for. */
const PAUSE_MS = 20;
const WRITERS = { count: 2, pauseMs: 50 };
/** It does next to nothing, so what it waits for is the thread. */
const PROBE = '/health/live';
const PROBE_EVERY_MS = 5;

/** Milliseconds of each. */
interface Waits {
  readonly readers: number[];
  readonly probes: number[];
}

export const besideRebuild: Row = {
  name: 'beside-rebuild',
  async measure(stage) {
    const service = await stage.service();
    const { result } = await besideWriters(stage, service, WRITERS, async () => {
      const over = setTimeout(stage.options.seconds * stage.options.rounds * 1000);
      const alone = await waitsUntil(stage, service, over);
      const rebuilt = askService(controlPath(stage.directory), 'rebuild', {}, () => undefined);
      return { alone, beside: await waitsUntil(stage, service, rebuilt) };
    });
    return rowsOf(result);
  },
};

async function waitsUntil(stage: Stage, { url, headers }: RunningService, over: Promise<unknown>): Promise<Waits> {
  const waits: Waits = { readers: [], probes: [] };
  const running = { isOver: false };
  const asking = async (paths: readonly string[], into: number[], pauseMs: number): Promise<void> => {
    for (let nth = 0; !running.isOver; nth += 1) {
      const began = performance.now();
      await sent(`${url}${paths[nth % paths.length]}`, 'GET', headers);
      into.push(performance.now() - began);
      await setTimeout(pauseMs);
    }
  };
  const kinds = [othersIn(stage), spread(stage, {})];
  const readers = Array.from({ length: READERS }, (_, nth) =>
    asking(kinds[nth % kinds.length]!, waits.readers, PAUSE_MS),
  );
  const probing = asking([PROBE], waits.probes, PROBE_EVERY_MS);
  await over;
  running.isOver = true;
  await Promise.all([...readers, probing]);
  return waits;
}

function rowsOf({ alone, beside }: { readonly alone: Waits; readonly beside: Waits }): readonly Measured[] {
  const [without, during] = [quantile(alone.readers, 0.99), quantile(beside.readers, 0.99)];
  const [free, held] = [quantile(alone.probes, 0.99), quantile(beside.probes, 0.99)];
  const longest = beside.probes.reduce((one, other) => Math.max(one, other), 0);
  return [
    {
      what: 'p99 of readers, by that without it',
      ratio: fixed(during / without),
      goal: '≤ 1.3',
      figures: `${fixed(during)} ms, ${fixed(without)} ms`,
    },
    {
      what: 'p99 of what needs the serving thread alone, ms',
      ratio: fixed(held, 1),
      goal: '≤ 10',
      figures: `${fixed(free)} ms without it, ${fixed(longest)} ms at most`,
    },
  ];
}
