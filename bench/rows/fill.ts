/** New generations of all read models, filled from a log that is there, by a process that does nothing else. */
import { mkdtempSync, rmSync } from 'node:fs';
import { STAND_INS, startStandIn } from '../../test/support/mongodb/stand-ins.js';
import { runJob } from '../children.js';
import { type FillResult } from '../jobs/fill.js';
import { median } from '../statistics.js';
import { type Stage } from '../stage.js';
import { fixed, whole, type Measured } from '../table.js';
import { type Row } from './row.js';

const CHANGES = 8;
const MOST_MIB = 512;

export const fill: Row = {
  name: 'fill',
  async measure(stage) {
    const { directory, options, seeded } = stage;
    await stage.stopService();
    const { tracker, fields, statuses } = seeded;
    // The first tracker has those with even ids, see `submissions`.
    const ids = Array.from({ length: seeded.inTracker }, (_, nth) => 102 + 2 * nth);
    await runJob('changes', { directory, tracker, fields, statuses, ids, times: CHANGES });
    const { events, perSecond: scanned } = await runJob<{ events: number; perSecond: number }>('scan', { directory });
    const measured = await onSqlite(stage, { events, scanned });
    return options.mongodb === undefined
      ? measured
      : [...measured, ...(await onMongoDb(stage, options.mongodb, events))];
  },
};

async function onSqlite(
  { directory, options }: Stage,
  { events, scanned }: { readonly events: number; readonly scanned: number },
): Promise<readonly Measured[]> {
  const results: FillResult[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const readModels = mkdtempSync(`${directory}-`);
    results.push(await fillOf({ directory, readModels }, options));
    rmSync(readModels, { recursive: true });
  }
  const { perSecond, figures } = figuresOf(events, results);
  return [
    { what: `SQLite, ${events} events`, ratio: fixed(perSecond / scanned), goal: '≥ 0.25', figures },
    {
      what: 'its memory, MiB at most',
      ratio: whole(Math.max(...results.map(({ mostMib }) => mostMib))),
      goal: `≤ ${MOST_MIB}`,
      figures: `scan ${whole(scanned)} events/s`,
    },
  ];
}

async function onMongoDb({ directory, options }: Stage, server: string, events: number): Promise<readonly Measured[]> {
  const name = STAND_INS.find((one) => one === server);
  const results: FillResult[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const standIn = name && (await startStandIn(name));
    results.push(await fillOf({ directory, readModels: standIn?.url ?? server }, options));
    await standIn?.stop();
  }
  const { perSecond, figures } = figuresOf(events, results);
  return [{ what: `${name ?? 'MongoDB'}, events/s`, ratio: whole(perSecond), goal: '≥ 920', figures }];
}

function fillOf(places: { readonly directory: string; readonly readModels: string }, { prof }: Stage['options']) {
  const profiling = prof === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${prof}`];
  return runJob<FillResult>('fill', places, profiling);
}

function figuresOf(
  events: number,
  results: readonly FillResult[],
): { readonly perSecond: number; readonly figures: string } {
  const seconds = median(results.map((one) => one.seconds));
  const micros = (1e6 * median(results.map((one) => one.cpuSeconds))) / events;
  const mib = Math.max(...results.map(({ mostMib }) => mostMib));
  return {
    perSecond: events / seconds,
    figures: `${whole(events / seconds)} events/s in ${fixed(seconds, 1)} s, ${whole(micros)} µs an event; ${whole(mib)} MiB at most`,
  };
}
