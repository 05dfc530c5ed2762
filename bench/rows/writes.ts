import { runJob } from '../children.js';
import { described, inTurn } from '../compare.js';
import { type Added } from '../jobs/added-rows.js';
import { type EngineResult } from '../jobs/engine.js';
import { type LoadInput } from '../jobs/load.js';
import { type RaceResult } from '../jobs/race.js';
import { type RunningService, type Stage } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole, withSpread, type Measured } from '../table.js';
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
    const engineRate = median(appends);
    const ratios = service.rounds.map(
      ({ perSecond }, nth) => perSecond / Math.min(engineRate, koa.rounds[nth]?.perSecond ?? Number.NaN),
    );
    return [
      {
        what: `an artifact, ${CLIENTS} clients`,
        ratio: withSpread(ratios),
        goal: '≥ 0.4',
        figures:
          `${described(service)}; ${described(koa)}; SQLite alone, ${CLIENTS} a commit: the log ${whole(engineRate)}/s, ` +
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
        ratio: withSpread(service.rounds.map(({ p50 }) => p50)),
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
    const rounds: Record<'put' | 'post', number[]>[] = [];
    let etag = (await answered(artifact, { headers })).etag;
    let votes = 0;
    const put = async (): Promise<number> => {
      const values = [{ field_id: stage.seeded.fields['votes'], value: (votes += 1) }];
      const condition = { ...posting, 'If-Match': etag };
      const { ms } = await answered(artifact, { method: 'PUT', headers: condition, body: JSON.stringify({ values }) });
      etag = (await answered(artifact, { headers })).etag;
      return ms;
    };
    const post = async (): Promise<number> =>
      (await answered(`${url}/api/artifacts`, { method: 'POST', headers: posting, body })).ms;
    for (let round = 0; round < stage.options.rounds; round += 1) {
      const times = { put: [] as number[], post: [] as number[] };
      for (const end = performance.now() + stage.options.seconds * 1000; performance.now() < end;) {
        for (let one = 0; one < SOME; one += 1) times.put.push(await put());
        for (let one = 0; one < SOME; one += 1) times.post.push(await post());
      }
      rounds.push(times);
    }
    const [changed, added] = [median(rounds.flatMap((each) => each.put)), median(rounds.flatMap((each) => each.post))];
    return [
      {
        what: 'If-Match, by POST of the same client',
        ratio: withSpread(rounds.map((each) => median(each.put) / median(each.post))),
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
