/** What readers wait while all read models are filled anew and others write. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { askService } from '../../src/operations/control-client.js';
import { controlPath } from '../../src/operations/control-protocol.js';
import { runJob } from '../children.js';
import { sent } from '../clients.js';
import { askedDelays, notingDelays, type Delays } from '../delays.js';
import { startService, type RunningService, type Stage } from '../stage.js';
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
/** The first requests take longer, because the engine compiles what answers them. */
const WARM_MS = 8000;

interface Waits {
  /** Milliseconds. */
  readonly readers: number[];
  readonly delays: Delays;
}

export const besideRebuild: Row = {
  name: 'beside-rebuild',
  async measure(stage) {
    await stage.stopService();
    const { options, directory } = stage;
    const noted = join(directory, 'delays.json');
    const service = await startService(options.dist, directory, { prof: options.prof, ...notingDelays(noted) });
    const asking = { service, noted };
    const { result } = await besideWriters(stage, service, WRITERS, async () => {
      await waitsUntil(stage, asking, setTimeout(WARM_MS));
      const over = setTimeout(options.seconds * options.rounds * 1000);
      await askedDelays(service.pid, noted);
      const alone = await waitsUntil(stage, asking, over);
      const busy = await waitsUntil(stage, asking, runJob('busy', { seconds: options.seconds * options.rounds }));
      const rebuilt = askService(controlPath(directory), 'rebuild', {}, () => undefined);
      return { alone, busy, beside: await waitsUntil(stage, asking, rebuilt) };
    });
    await service.stop();
    return rowsOf(result);
  },
};

interface Asking {
  readonly service: RunningService;
  readonly noted: string;
}

async function waitsUntil(stage: Stage, { service, noted }: Asking, over: Promise<unknown>): Promise<Waits> {
  const readers: number[] = [];
  const running = { isOver: false };
  const asking = async (paths: readonly string[]): Promise<void> => {
    for (let nth = 0; !running.isOver; nth += 1) {
      const began = performance.now();
      await sent(`${service.url}${paths[nth % paths.length]}`, 'GET', service.headers);
      readers.push(performance.now() - began);
      await setTimeout(PAUSE_MS);
    }
  };
  const kinds = [othersIn(stage), spread(stage, {})];
  const all = Promise.all(Array.from({ length: READERS }, (_, nth) => asking(kinds[nth % kinds.length]!)));
  // One that fails is told at the end.
  all.catch(() => undefined);
  await over;
  running.isOver = true;
  await all;
  return { readers, delays: await askedDelays(service.pid, noted) };
}

interface Compared {
  readonly alone: Waits;
  /** One processor computes: what any work would do to readers. */
  readonly busy: Waits;
  readonly beside: Waits;
}

function rowsOf({ alone, busy, beside }: Compared): readonly Measured[] {
  const p99 = ({ readers }: Waits): number => quantile(readers, 0.99);
  const [without, burdened, during] = [p99(alone), p99(busy), p99(beside)];
  return [
    {
      what: 'p99 of readers, by that without it',
      ratio: fixed(during / without),
      goal: '≤ 1.3',
      figures: `${fixed(during)} ms, ${fixed(without)} ms; ${fixed(burdened)} ms beside a process that computes`,
    },
    {
      what: 'p99 of the event loop’s delay, ms',
      ratio: fixed(beside.delays.p99, 1),
      goal: '≤ 10',
      figures: `${fixed(alone.delays.p99, 1)} ms without it, ${fixed(beside.delays.most, 1)} ms at most`,
    },
  ];
}
