/** tracker-ledger rebuild [name ...]: fills read models anew from the log, beside those that go on serving. */
import { type SingleBar } from 'cli-progress';
import { type RebuildProgress } from '../../projections/engine/filling/filling.js';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { operate } from './operate.js';
import { print } from './print.js';
import { progressBars, timeLeft, WHOLE } from './progress-bars.js';

const bars = progressBars('{projection} [{bar}] {percentage}% | {events} events, {rate}/s | {left} left');
const shown = new Map<string, SingleBar>();

export async function rebuild(names: readonly string[]): Promise<void> {
  // With its cursor back. What is being rebuilt by a service goes on.
  process.once('SIGINT', () => {
    if (shown.size > 0) bars.stop();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    const results = (await operate('rebuild', { names }, (progress) => {
      show(progress as RebuildProgress);
    })) as readonly RebuildResult[];
    bars.stop();
    for (const result of results) print(describe(result));
    process.exitCode = results.every(({ outcome }) => outcome === 'served') ? 0 : 1;
  } catch (error) {
    if (shown.size > 0) bars.stop();
    throw error;
  }
}

function show(progress: RebuildProgress): void {
  const { projection, events, eventsPerSecond, share, secondsLeft } = progress;
  const words = { projection: projection.padEnd(14), events, rate: eventsPerSecond, left: timeLeft(secondsLeft) };
  const bar = shown.get(projection) ?? bars.create(WHOLE, 0, words);
  shown.set(projection, bar);
  bar.update(Math.round(share * WHOLE), words);
}

const REMEDY =
  'What was served before still is. Once the cause is removed, or what is under way has ended, give the command again';

function describe(result: RebuildResult): string {
  if (result.outcome === 'failed') return `${result.projection}: not rebuilt, ${result.reason}. ${REMEDY}`;
  const { projection, events, milliseconds, generation, differences } = result;
  const served = `${projection}: ${events} events in ${(milliseconds / 1000).toFixed(1)} s, serving generation ${generation}`;
  return [served, ...differences.map((difference) => `  ${difference}`)].join('\n');
}
