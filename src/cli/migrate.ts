/** tracker-ledger migrate --from embedded --to production, or back: moves a service to other stores. */
import { type SingleBar } from 'cli-progress';
import { openMigrationStores, type Kind } from '../composition/migration.js';
import { ENDING } from '../composition/shutdown.js';
import { readConfig } from '../config/config.js';
import { migrate, type MigrationResult, type Notice, type Stage } from '../migration/migrate.js';
import { wordsFor } from '../config/misspelt-variables.js';
import { systemClock } from '../config/system-clock.js';
import { print } from './print.js';
import { progressBars, WHOLE } from './progress-bars.js';

/** Exit status of a migration from a source that is still in use. */
const GROWN = 2;

const SHOWN_EVERY_MS = 100;

const bars = progressBars('{stage} [{bar}] {percentage}% | {done}, {rate}/s');

interface Shown {
  readonly bar: SingleBar;
  readonly since: number;
  at: number;
}

const shown = new Map<Stage, Shown>();

export async function runMigration(from: Kind): Promise<void> {
  // A service that ran on the embedded stores may have had some.
  const config = readConfig({ ...process.env, WORKERS: undefined });
  const { servers } = config;
  for (const variable of config.misspelt) process.stderr.write(`${wordsFor(variable)}\n`);
  if (servers === undefined) throw new Error('EVENTSTOREDB_URL and MONGODB_URL are not set; migrate needs both');
  const onRetry = (reason: string): void => {
    say(`${reason}; retrying`);
  };
  const stores = await openMigrationStores(from, { ...config, servers, clock: systemClock(config), onRetry });
  // Until here nothing is copied, and a signal ends the process by itself.
  const stopping = new AbortController();
  for (const name of ENDING) {
    process.once(name, () => {
      stopping.abort(new Error('Stopped. The same command goes on where it was'));
    });
  }
  // A shell sends a second one.
  process.on('SIGHUP', () => undefined);
  try {
    const result = await migrate({ ...stores, report: show, signal: stopping.signal });
    bars.stop();
    print(`${describe(result)}\n${verdict(result)}`);
    process.exitCode = exitCode(result);
  } catch (error) {
    if (shown.size > 0) bars.stop();
    throw error;
  } finally {
    await stores.close();
  }
}

function show(notice: Notice): void {
  if (notice.type === 'progress') progress(notice);
  else if (notice.type === 'grown') say(`The source has grown by ${notice.events} events, which are copied next`);
  else say(lackingIn(notice.blob, 'source'));
}

/** Bars write lines only while they are drawn. */
function say(line: string): void {
  if (shown.size > 0) bars.log(`${line}\n`);
  else process.stderr.write(`${line}\n`);
}

function progress({ stage, done, share }: Extract<Notice, { type: 'progress' }>): void {
  const now = performance.now();
  const before = shown.get(stage);
  if (before !== undefined && share < 1 && now - before.at < SHOWN_EVERY_MS) return;
  const { bar, since } = before ?? { bar: bars.create(WHOLE, 0, wordsOf(stage, done, 0)), since: now };
  shown.set(stage, { bar, since, at: now });
  bar.update(Math.round(share * WHOLE), wordsOf(stage, done, now - since));
}

function wordsOf(stage: Stage, done: number, ms: number): object {
  return { stage: stage.padEnd(16), done, rate: ms < 1 ? '?' : Math.round((1000 * done) / ms) };
}

function lackingIn({ streams, digest }: MigrationResult['files']['lacking'][number], side: string): string {
  return `${streams.join(', ')}: the bytes ${digest} are not in the ${side}`;
}

function describe({ log, files, copied }: MigrationResult): string {
  const sides = (['source', 'target'] as const).flatMap((side) => [
    `${side}: ${log[side].events} events in ${log[side].streams} streams, SHA-256 ${log[side].digest}`,
    `${side}: ${files[side].blobs} blobs of files, ${files[side].bytes} bytes, SHA-256 ${files[side].digest}`,
  ]);
  return [`copied: ${copied.events} events, ${copied.files} blobs`, ...sides].join('\n');
}

function verdict({ equal, grown, files }: MigrationResult): string {
  const lacking = files.lacking.map((blob) => lackingIn(blob, 'target'));
  if (lacking.length > 0) return [...lacking, 'NOT the same: files lack bytes'].join('\n');
  if (!equal) return 'NOT the same: another process writes to the target, or the target is damaged';
  return grown
    ? 'All that was seen is copied, but the source was written to meanwhile: stop every service, then do this once more'
    : 'Both sides hold the same';
}

function exitCode({ equal, grown }: MigrationResult): number {
  if (!equal) return 1;
  return grown ? GROWN : 0;
}
