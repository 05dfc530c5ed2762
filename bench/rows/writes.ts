import { runJob } from '../children.js';
import { described, inTurn } from '../compare.js';
import { type Added } from '../jobs/added-rows.js';
import { type EngineResult } from '../jobs/engine.js';
import { type LoadInput } from '../jobs/load.js';
import { type RaceResult } from '../jobs/race.js';
import { type RunningService, type Stage } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole, type Measured } from '../table.js';
import { sentence } from '../words.js';
import { oneIn } from './get-one.js';
import { fileOf } from './projections.js';
import { type Row } from './row.js';

const CLIENTS = 64;
const RACERS = 32;
/** In the tracker of which the fields are known. */
const HOT = 1002;
const POSTED = JSON.stringify({
  id: 1_234_567,
  uri: 'artifacts/1234567',
  tracker: {
    id: 101,
    uri: 'trackers/101',
    label: 'Bugs',
    color: 'inca-silver',
    project: { id: 101, uri: 'projects/101', label: 'Bench', icon: '' },
  },
});

/** New artifacts, all alike. */
export async function postOf(
  stage: Stage,
  connections: number,
  service?: RunningService,
): Promise<Omit<LoadInput, 'seconds'>> {
  const { url, headers } = service ?? (await stage.service());
  return {
    url: `${url}/api/artifacts`,
    connections,
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: bodyOf(stage),
  };
}

function bodyOf(stage: Stage): string {
  const { tracker, fields, statuses } = stage.seeded;
  return JSON.stringify({
    tracker: { id: tracker },
    values: [
      { field_id: fields['title'], value: sentence(1, 7) },
      { field_id: fields['description'], value: { content: sentence(2, 60), format: 'commonmark' } },
      { field_id: fields['status'], bind_value_ids: [statuses[1]] },
      { field_id: fields['points'], value: 5 },
      { field_id: fields['effort'], value: 2.5 },
      { field_id: fields['due'], value: '2025-03-05' },
      { field_id: fields['release'], value: '1.2.3' },
      { field_id: fields['links'], links: [{ id: oneIn(stage), type: 'fixed_in' }] },
    ],
  });
}

export const postMany: Row = {
  name: 'post',
  async measure(stage) {
    const { directory, options } = stage;
    const { pid } = await stage.service();
    const load = await postOf(stage, CLIENTS);
    const bare = await stage.bareKoa({ answers: {}, posted: POSTED });
    const appends: number[] = [];
    const engine = async (): Promise<void> => {
      const input = { directory, seconds: options.seconds, group: CLIENTS };
      appends.push((await runJob<EngineResult>('append', input)).perSecond);
    };
    await engine();
    const [service, koa] = await inTurn(options, [
      { name: 'service', pid, load },
      { name: 'bare Koa', pid: bare.pid, load: { ...load, url: `${bare.url}/posted` } },
    ]);
    await engine();
    await bare.stop();
    if (service === undefined || koa === undefined) return [];
    await stage.stopService();
    const rows = { directory, file: fileOf(directory), seconds: options.seconds, group: CLIENTS };
    const { perSecond: added } = await runJob<Added>('added-rows', rows);
    const smaller = Math.min(median(appends), koa.perSecond);
    return [
      {
        what: `an artifact, ${CLIENTS} clients`,
        ratio: fixed(service.perSecond / smaller),
        goal: '≥ 0.4',
        figures:
          `${described(service)}; ${described(koa)}; SQLite alone, ${CLIENTS} a commit: the log ${whole(median(appends))}/s, ` +
          `the rows of the read models ${whole(added)}/s, of which the service makes ${fixed(service.perSecond / added)}`,
      },
    ];
  },
};

export const postOne: Row = {
  name: 'post-one',
  async measure(stage) {
    const { directory, options } = stage;
    const { pid } = await stage.service();
    const syncs: EngineResult[] = [];
    const sync = async (): Promise<void> => {
      syncs.push(await runJob<EngineResult>('fsync', { directory, seconds: options.seconds }));
    };
    await sync();
    const [service] = await inTurn(options, [{ name: 'service', pid, load: await postOf(stage, 1) }]);
    await sync();
    if (service === undefined) return [];
    const fsync = median(syncs.map(({ p50 }) => p50));
    return [
      {
        what: 'an artifact, one client, ms',
        ratio: fixed(service.p50),
        goal: `≤ ${fixed(1.3 * fsync + 1)}`,
        figures: `${described(service)}; fdatasync ${fixed(fsync)} / ${fixed(median(syncs.map(({ p99 }) => p99)))} ms`,
      },
    ];
  },
};

const SOME = 50;

/** Both by the same client, in turn. */
export const putOne: Row = {
  name: 'put-one',
  async measure(stage) {
    const { url, headers } = await stage.service();
    const { body = '', headers: posting = {} } = await postOf(stage, 1);
    const artifact = `${url}/api/artifacts/${HOT}`;
    const times = { put: [] as number[], post: [] as number[] };
    let etag = (await answered(artifact, { headers })).etag;
    const put = async (nth: number): Promise<void> => {
      const values = [{ field_id: stage.seeded.fields['votes'], value: nth }];
      const condition = { ...posting, 'If-Match': etag };
      const { ms } = await answered(artifact, { method: 'PUT', headers: condition, body: JSON.stringify({ values }) });
      times.put.push(ms);
      etag = (await answered(artifact, { headers })).etag;
    };
    const end = performance.now() + stage.options.seconds * stage.options.rounds * 1000;
    for (let nth = 0; performance.now() < end; nth += SOME) {
      for (let one = 0; one < SOME; one += 1) await put(nth + one);
      for (let one = 0; one < SOME; one += 1) {
        times.post.push((await answered(`${url}/api/artifacts`, { method: 'POST', headers: posting, body })).ms);
      }
    }
    const [changed, added] = [median(times.put), median(times.post)];
    return [
      {
        what: 'If-Match, by POST of the same client',
        ratio: fixed(changed / added),
        goal: '≤ 1.2',
        figures: `${fixed(changed)} ms; POST ${fixed(added)} ms`,
      },
    ];
  },
};

async function answered(url: string, request: RequestInit): Promise<{ readonly etag: string; readonly ms: number }> {
  const began = performance.now();
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return { etag: answer.headers.get('ETag') ?? '', ms: performance.now() - began };
}

export const putRace: Row = {
  name: 'put-race',
  async measure(stage) {
    const { url, headers } = await stage.service();
    const { seconds, rounds } = stage.options;
    const result = await runJob<RaceResult>('race', {
      url: `${url}/api/artifacts/${HOT}`,
      field: stage.seeded.fields['votes'],
      headers,
      clients: RACERS,
      seconds: seconds * rounds,
    });
    return [raceRow(result, seconds * rounds)];
  },
};

/** The number that each winner raised by one, and the revision, tell whether a win got lost or two had the same. */
function raceRow({ won, lost, fewest, raised, revisions }: RaceResult, seconds: number): Measured {
  const exact = raised === won && revisions === won;
  return {
    what: `If-Match, ${RACERS} clients on one artifact`,
    ratio: exact ? 'exact' : 'WRONG',
    goal: 'exact',
    figures:
      `${whole(won / seconds)} wins/s, ${whole(lost / seconds)} × 412/s; ` +
      `${won} wins raised number by ${raised}, revision by ${revisions}; fewest wins of a client ${fewest}`,
  };
}
