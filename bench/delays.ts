/** How late the event loop of a service is: it notes that itself, and writes it down when it is asked. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds since the last asking. Each has one more of them: a timer of one millisecond is what is watched. */
export interface Delays {
  readonly p99: number;
  readonly most: number;
}

const NOTING = `
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  import { renameSync, writeFileSync } from 'node:fs';
  const file = process.env.BENCH_DELAYS;
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(file + '.new', JSON.stringify({ p99: delays.percentile(99) / 1e6, most: delays.max / 1e6 }));
    renameSync(file + '.new', file);
    delays.reset();
  });`;

/** What a service is started with that is to be asked, and where it writes. */
export const notingDelays = (file: string) => ({
  args: ['--import', `data:text/javascript,${encodeURIComponent(NOTING)}`],
  env: { BENCH_DELAYS: file },
});

export async function askedDelays(pid: number, file: string): Promise<Delays> {
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await setTimeout(5);
  const delays = JSON.parse(readFileSync(file, 'utf8')) as Delays;
  rmSync(file);
  return delays;
}
