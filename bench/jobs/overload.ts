/** Requests at given rates, whether or not those before them have been answered. */
import { setTimeout } from 'node:timers/promises';
import { PASSWORD, READER, trackerName } from '../platform.js';
import { signedIn } from '../stage.js';
import { quantile } from '../statistics.js';
import { sentence } from '../words.js';

export const KINDS = ['writes', 'reads', 'pages', 'sign-ins'] as const;
export type Kind = (typeof KINDS)[number];

export interface OverloadInput {
  /** Of the processes of one installation: each request goes to the next of them. */
  readonly urls: readonly string[];
  readonly seconds: number;
  readonly perSecond: Readonly<Record<Kind, number>>;
}

/** Milliseconds; of the first and of the last third too, which tells whether they grow. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly early: number;
  readonly late: number;
}

export interface OverloadResult {
  readonly times: Readonly<Record<Kind, Times>>;
  readonly acknowledged: number;
  /** Milliseconds from the last answer until every process shows what was acknowledged last. */
  readonly lag: number;
  /** How often an acknowledged artifact was answered 404. */
  readonly missed: number;
  /** How often what else came than success, by what it was. */
  readonly failures: Readonly<Record<string, number>>;
}

/** When everything has been answered. */
const AT_ONCE = 8;
const LAG_MS = 60_000;
const CHECK_MS = 60_000;
/** Who is not answered for so long goes away. */
const PATIENCE_MS = 30_000;
const TICK_MS = 10;
const JSON_TYPE = { 'Content-Type': 'application/json' };

export async function overload({ urls, seconds, perSecond }: OverloadInput): Promise<OverloadResult> {
  const [first = ''] = urls;
  const headers = await signedIn(first, READER);
  const { tracker, body } = await submission(first, headers);
  const failures = new Map<string, number>();
  const acknowledged: number[] = [];
  const ask = asking(urls, failures);
  const read = (nth: number, id: number): Promise<unknown> => ask(nth, `artifacts/${id}`, { headers });
  const send: Readonly<Record<Kind, (nth: number) => Promise<unknown>>> = {
    writes: async (nth) => {
      const post = { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: body(nth) };
      const made = (await ask(nth, 'artifacts', post)) as { readonly id: number } | undefined;
      if (made !== undefined) acknowledged.push(made.id);
    },
    /** Of the artifact that was acknowledged last and of the others in turn, by either process. */
    reads: async (nth) => {
      const id = nth % 4 < 2 ? acknowledged.at(-1) : acknowledged[nth % acknowledged.length];
      if (id !== undefined) await read(nth, id);
    },
    pages: (nth) => ask(nth, `trackers/${tracker}/artifacts?limit=10`, { headers }),
    'sign-ins': (nth) => {
      const signIn = JSON.stringify({ username: READER, password: PASSWORD });
      return ask(nth, 'tokens', { method: 'POST', headers: JSON_TYPE, body: signIn });
    },
  };
  const times = await Promise.all(
    KINDS.map(async (kind) => [kind, timesOf(await atRate(perSecond[kind], seconds, send[kind]))] as const),
  );
  const ended = performance.now();
  const lag = await untilShown(urls, acknowledged, headers, ended);
  const until = performance.now() + CHECK_MS;
  for (let nth = 0; nth < acknowledged.length && performance.now() < until; nth += AT_ONCE) {
    const ids = acknowledged.slice(nth, nth + AT_ONCE);
    await Promise.all(ids.map((id, index) => read(nth + index, id)));
  }
  return {
    lag,
    times: Object.fromEntries(times) as Record<Kind, Times>,
    acknowledged: acknowledged.length,
    missed: [...failures].reduce((sum, [what, count]) => sum + (what.startsWith('GET 404') ? count : 0), 0),
    failures: Object.fromEntries(failures),
  };
}

function timesOf(times: readonly number[]): Times {
  const third = Math.floor(times.length / 3);
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    early: quantile(times.slice(0, third), 0.5),
    late: quantile(times.slice(-third), 0.5),
  };
}

async function untilShown(
  urls: readonly string[],
  acknowledged: readonly number[],
  headers: Readonly<Record<string, string>>,
  since: number,
): Promise<number> {
  const last = Math.max(...acknowledged);
  const isShown = async (url: string): Promise<boolean> => {
    const asked = fetch(`${url}/api/artifacts/${last}`, { method: 'HEAD', headers }).then(
      ({ status }) => status,
      () => 0,
    );
    return (await inTime(asked, 0)) === 200;
  };
  while (!(await Promise.all(urls.map(isShown))).every(Boolean)) {
    if (performance.now() - since > LAG_MS) return Infinity;
    await setTimeout(TICK_MS);
  }
  return performance.now() - since;
}

/** Also where the client never settles what it was asked: the run goes on to its end. */
const inTime = <T>(asked: Promise<T>, otherwise: T): Promise<T> =>
  Promise.race([asked, setTimeout(PATIENCE_MS, otherwise)]);

/** How long each took, in the order in which they were sent, once all have been answered. */
async function atRate(
  perSecond: number,
  seconds: number,
  send: (nth: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const timed = async (nth: number): Promise<number> => {
    const sentAt = performance.now();
    await send(nth);
    return performance.now() - sentAt;
  };
  const underWay: Promise<number>[] = [];
  const began = performance.now();
  while (underWay.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, (perSecond * (performance.now() - began)) / 1000);
    while (underWay.length < due) underWay.push(timed(underWay.length));
    await setTimeout(TICK_MS);
  }
  return Promise.all(underWay);
}

/** What succeeds, as JSON; undefined for what does not, which is counted. */
function asking(urls: readonly string[], failures: Map<string, number>) {
  return async (nth: number, path: string, options: RequestInit): Promise<unknown> => {
    const asked = fetch(`${urls[nth % urls.length] ?? ''}/api/${path}`, options)
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    const { status, text } = await inTime(asked, { status: 0, text: 'no answer' });
    if (status === 200 || status === 201) return JSON.parse(text);
    const what = `${options.method ?? 'GET'} ${status} ${text.replace(/^.*"message":"|".*$/g, '')}`;
    failures.set(what, (failures.get(what) ?? 0) + 1);
    return undefined;
  };
}

interface Tracker {
  readonly id: number;
  readonly item_name: string;
  readonly fields: readonly { readonly field_id: number; readonly name: string }[];
}

async function submission(url: string, headers: Readonly<Record<string, string>>) {
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}/api/${path}`, { headers })).json();
  const [project] = (await get('projects')) as readonly { readonly id: number }[];
  const trackers = (await get(`projects/${project!.id}/trackers?limit=50`)) as readonly Tracker[];
  const { id: tracker, fields } = trackers.find(({ item_name: name }) => name === trackerName(0))!;
  const idOf = (wanted: string): number => fields.find(({ name }) => name === wanted)!.field_id;
  const body = (nth: number): string =>
    JSON.stringify({
      tracker: { id: tracker },
      values: [
        { field_id: idOf('title'), value: sentence(nth, 7) },
        { field_id: idOf('description'), value: { content: sentence(nth, 60), format: 'commonmark' } },
        { field_id: idOf('points'), value: nth % 13 },
        { field_id: idOf('effort'), value: (nth % 40) / 4 },
      ],
    });
  return { tracker, body };
}
