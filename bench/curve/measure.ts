/** What one more artifact costs, at several sizes of the platform. Each answer is made anew: each is asked for once. */
import { statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runJob, proportionalMemory } from '../children.js';
import { type LoadResult } from '../jobs/load.js';
import { type Options } from '../options.js';
import { FIRST_ID } from '../platform.js';
import { postOf } from '../rows/writes.js';
import { pathOf, SEVERAL } from '../rows/pages.js';
import { startProcess, withStage, type Stage } from '../stage.js';
import { RARE_WORD } from '../words.js';

export interface Point {
  readonly artifacts: number;
  readonly what: string;
  /** Milliseconds, or what `what` says. */
  readonly value: number;
}

export const SIZES = [10_000, 100_000, 1_000_000];

const ONE_BY_ONE = 1000;
const PAGES = 100;
const DEEP = 0.9;
const STARTS = 3;

/** By what is measured, in milliseconds. */
export async function pointsAt(artifacts: number, options: Options): Promise<readonly Point[]> {
  const points: Point[] = [];
  const add = (what: string, value: number): void => {
    points.push({ artifacts, what, value });
  };
  await withStage({ ...options, artifacts }, async (stage) => {
    const { startedIn } = await stage.service();
    add('fill of read models, per 1,000 artifacts', (1000 * startedIn) / artifacts);
    add('an artifact', await onceEach(stage, artifactPaths(artifacts)));
    for (const [what, paths] of pagePaths(stage)) add(what, await onceEach(stage, paths));
    const posted = await runJob<LoadResult>('load', { ...(await postOf(stage, 1)), seconds: options.seconds });
    add('a new artifact', posted.p50);
    await stage.stopService();
    const { ms, mib } = await restarted(stage);
    add('start', ms);
    add('memory at rest, MiB', mib);
    add('log, bytes an artifact', bytesIn(stage.directory, 'log.sqlite') / artifacts);
    add('read models, bytes an artifact', bytesIn(stage.directory, 'read-models.sqlite') / artifacts);
  });
  return points;
}

function artifactPaths(artifacts: number): readonly string[] {
  const step = Math.max(1, Math.floor(artifacts / ONE_BY_ONE));
  return Array.from({ length: ONE_BY_ONE }, (_, nth) => `/api/artifacts/${FIRST_ID + nth * step}`);
}

function pagePaths(stage: Stage): readonly (readonly [string, readonly string[]])[] {
  const deep = Math.floor(stage.seeded.inTracker * DEEP);
  const pages = (query: Readonly<Record<string, string | number>>, from = 0): readonly string[] =>
    Array.from({ length: PAGES }, (_, nth) => pathOf(stage, { ...query, offset: from + nth }));
  const rare = JSON.stringify({ title: { operator: 'contains', value: RARE_WORD } });
  return [
    ['a first page of 50', pages({})],
    ['a page of 50 nine tenths deep', pages({}, deep)],
    ['a page in the order of a date', pages({ sort: '-due' })],
    ['a page by TQL of several terms', pages({ expert_query: SEVERAL })],
    ['a rare substring', Array.from({ length: PAGES }, (_, nth) => pathOf(stage, { query: rare, limit: 50 + nth }))],
  ];
}

/** The middle of the times, one client. */
async function onceEach(stage: Stage, paths: readonly string[]): Promise<number> {
  const { url, headers } = await stage.service();
  const load = { url, headers, connections: 1, seconds: 0, amount: paths.length, paths };
  return (await runJob<LoadResult>('load', load)).p50;
}

async function restarted({ options, directory }: Stage): Promise<{ readonly ms: number; readonly mib: number }> {
  const starts: { readonly ms: number; readonly mib: number }[] = [];
  for (let nth = 0; nth < STARTS; nth += 1) {
    const { startedIn, pid, stop } = await startProcess(options.dist, directory, {});
    starts.push({ ms: startedIn, mib: proportionalMemory(pid) });
    await stop();
  }
  return starts.toSorted((one, other) => one.ms - other.ms)[Math.floor(STARTS / 2)]!;
}

function bytesIn(directory: string, name: string): number {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(name));
  return files.reduce((sum, path) => sum + statSync(join(directory, path)).size, 0);
}
