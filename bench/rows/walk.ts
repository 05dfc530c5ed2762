/** Whether walks by cursors give everything exactly once while others write, and what their pages cost from first to last. */
import { sent } from '../clients.js';
import { FIRST_ID } from '../platform.js';
import { type RunningService, type Stage } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole, type Measured } from '../table.js';
import { besideWriters } from '../writers.js';
import { type Row } from './row.js';

const LIMIT = 500;
const WRITERS = 16;

interface Walk {
  readonly ids: readonly number[];
  /** Milliseconds of each page, in turn, of each tracker. */
  readonly times: readonly (readonly number[])[];
}

export const walk: Row = {
  name: 'walk',
  async measure(stage) {
    const service = await stage.service();
    const trackers = await trackersOf(service);
    const alone = described('nobody else', await walkAll(service, trackers), stage);
    const writers = { count: WRITERS, pauseMs: 0 };
    const { result, writes } = await besideWriters(stage, service, writers, () => walkAll(service, trackers));
    return [alone, described(`${WRITERS} writers, ${whole(writes)} writes`, result, stage)];
  },
};

async function trackersOf({ url, headers }: RunningService): Promise<readonly number[]> {
  const [project] = (await sent(`${url}/api/projects`, 'GET', headers)) as readonly { readonly id: number }[];
  const list = await sent(`${url}/api/projects/${project?.id ?? 0}/trackers?limit=50`, 'GET', headers);
  return (list as readonly { readonly id: number }[]).map(({ id }) => id);
}

async function walkAll(service: RunningService, trackers: readonly number[]): Promise<Walk> {
  const ids: number[] = [];
  const times: number[][] = [];
  for (const tracker of trackers) {
    const ofTracker: number[] = [];
    for (let next: string | null = `${service.url}/api/trackers/${tracker}/artifacts?limit=${LIMIT}`; next !== null;) {
      const began = performance.now();
      const page: Page = await pageAt(next, service);
      ofTracker.push(performance.now() - began);
      ids.push(...page.ids);
      next = page.next;
    }
    times.push(ofTracker);
  }
  return { ids, times };
}

interface Page {
  readonly ids: readonly number[];
  readonly next: string | null;
}

async function pageAt(url: string, { headers }: RunningService): Promise<Page> {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  const artifacts = (await answer.json()) as readonly { readonly id: number }[];
  const [, next = null] = /^<(.+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '') ?? [];
  return { ids: artifacts.map(({ id }) => id), next };
}

/** `ratio` compares the last tenth of the pages of the longest walk with its first tenth. */
function described(what: string, { ids, times }: Walk, { options }: Stage): Measured {
  const seen = new Set(ids);
  const seeded = Array.from({ length: options.artifacts }, (_, index) => FIRST_ID + index);
  const missed = seeded.filter((id) => !seen.has(id)).length;
  const longest = times.reduce((most, each) => (each.length > most.length ? each : most));
  const tenth = Math.ceil(longest.length / 10);
  const [first, last] = [median(longest.slice(0, tenth)), median(longest.slice(-tenth))];
  const twice = ids.length - seen.size;
  return {
    what: `pages of ${LIMIT} by cursors beside ${what}`,
    ratio: fixed(last / first),
    goal: '1',
    figures: `${whole(ids.length)} artifacts, ${missed} missed, ${twice} twice; last pages ${fixed(last)} ms, first ${fixed(first)} ms`,
  };
}
