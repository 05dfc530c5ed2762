import { described, inTurn, ratioOf, type Sample } from '../compare.js';
import { textAt, type Stage } from '../stage.js';
import { fixed, type Measured } from '../table.js';
import { COMMON_WORD, RARE_WORD } from '../words.js';
import { besideWriters } from '../writers.js';
import { type Row } from './row.js';

const CONNECTIONS = 50;
const LIMIT = 50;
/** Of the tracker's artifacts: 45 000 of 50 000. */
const DEEP = 0.9;

type Query = Readonly<Record<string, string | number>>;

export const pathOf = ({ seeded }: Stage, query: Query, tracker = seeded.tracker): string => {
  const parameters = new URLSearchParams({ limit: String(LIMIT) });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `/api/trackers/${tracker}/artifacts?${parameters.toString()}`;
};

/** The cache of answers holds all such pages: those with all values share the texts of their artifacts. */
const SPREAD = 500;

/** The same question from one offset after the other on; fewer where there are no full pages so far. */
export const spread = (stage: Stage, query: Query, from = 0): readonly string[] =>
  Array.from({ length: Math.max(1, Math.min(SPREAD, stage.seeded.inTracker - LIMIT - from)) }, (_, nth) =>
    pathOf(stage, { ...query, offset: from + nth }),
  );

/** So many with all values are more than the cache of answers holds as texts. */
const MANY = 300;

/** From the first artifact of the tracker on: pages that share none. */
export const walked = (stage: Stage, query: Query): readonly string[] =>
  Array.from({ length: Math.min(SPREAD, Math.floor(stage.seeded.inTracker / LIMIT)) }, (_, nth) =>
    pathOf(stage, { ...query, offset: nth * LIMIT }),
  );

const ALL = { values: 'all' };

export const pages: Row = {
  name: 'page',
  async measure(stage) {
    const behind = walked(stage, ALL);
    const measured = [
      await againstKoa(stage, { ...again(stage), goal: 0.5 }),
      await againstKoa(stage, { ...inTurnOf(stage), goal: 0.3 }),
      await againstKoa(stage, { what: 'all values, again and again', goal: 0.3, query: ALL }),
      await againstKoa(stage, { ...allInTurn(stage), goal: 0.3 }),
    ];
    if (behind.length < MANY) return measured;
    const what = `${behind.length} behind one another, all values`;
    return [...measured, await againstKoa(stage, { what, goal: 0.3, query: ALL, paths: behind })];
  },
};

const again = ({ seeded: { inTracker } }: Stage): Asked => ({
  what: `of ${LIMIT} among ${inTracker}, again and again`,
  query: {},
});
const inTurnOf = (stage: Stage): Asked => ({ what: `${SPREAD} in turn`, query: {}, paths: spread(stage, {}) });
const allInTurn = (stage: Stage): Asked => ({
  what: `${SPREAD} in turn, all values`,
  query: ALL,
  paths: spread(stage, ALL),
});

/** Few enough for a small tracker. */
const QUIET = 50;

const quietInTurn = (stage: Stage): Asked => ({
  what: `${QUIET} in turn, of a tracker that nobody writes to`,
  query: {},
  paths: Array.from({ length: QUIET }, (_, offset) => pathOf(stage, { offset }, stage.seeded.quietTracker)),
});

/** As beside single artifacts. */
const MANY_WRITERS = { count: 16, pauseMs: 0 };

/** They add to the tracker, so they come late. */
export const pagesBesideWriters: Row = {
  name: 'page-writers',
  async measure(stage) {
    if (stage.options.quick) return [];
    const began = performance.now();
    const { result, writes } = await besideWriters(stage, await stage.service(), MANY_WRITERS, async () => [
      await againstKoa(stage, again(stage)),
      await againstKoa(stage, inTurnOf(stage)),
      await againstKoa(stage, allInTurn(stage)),
      await againstKoa(stage, quietInTurn(stage)),
    ]);
    const rate = fixed((1000 * writes) / (performance.now() - began), 0);
    return result.map((row) => ({
      ...row,
      what: `${row.what}, ${MANY_WRITERS.count} writers beside, ${rate} writes/s`,
    }));
  },
};

interface Asked {
  readonly what: string;
  readonly goal?: number | undefined;
  readonly query: Query;
  readonly paths?: readonly string[];
}

async function againstKoa(stage: Stage, { what, goal, query, paths }: Asked): Promise<Measured> {
  const { url, pid, headers } = await stage.service();
  const path = paths?.[0] ?? pathOf(stage, query);
  const body = await textAt(`${url}${path}`, headers);
  const bare = await stage.bareKoa({ answers: { '/api/trackers/:id/artifacts': body }, posted: '' });
  const load = { connections: CONNECTIONS, headers, ...(paths && { paths }) };
  const [service, koa] = await inTurn(stage.options, [
    { name: 'service', pid, load: { ...load, url: `${url}${path}` } },
    { name: 'bare Koa', pid: bare.pid, load: { ...load, url: `${bare.url}${path}` } },
  ]);
  await bare.stop();
  return {
    what: `${what}, ${body.length} bytes`,
    ratio: service === undefined || koa === undefined ? '' : ratioOf(service, koa),
    goal: goal === undefined ? '' : `≥ ${goal}`,
    figures: [service, koa].flatMap((sample) => (sample === undefined ? [] : described(sample))).join('; '),
  };
}

const STATUS = 'status = "In progress"';
const TWO = `${STATUS} AND points > 5`;
export const SEVERAL = '(status IN ("New", "Fixed") OR points > 10) AND due < "2025-06-01" AND severity != "Minor"';
const LINKED = `${SEVERAL} AND IS LINKED TO WITH TYPE "fixed_in"`;

/** A page is given again until an artifact of its tracker changes: some commits have every page made anew when its turn comes again. */
const WRITERS = { count: 1, pauseMs: 50 };

export interface Question {
  readonly what: string;
  readonly goal: string;
  readonly paths: readonly string[];
}

/** What takes how long compared with the first of them. */
export function questionsOf(stage: Stage): readonly [Question, ...Question[]] {
  const { inTracker, statuses, severities } = stage.seeded;
  const offset = Math.floor(inTracker * DEEP);
  const status = JSON.stringify({ status: statuses[1] });
  const both = JSON.stringify({ status: statuses[1], severity: severities[1] });
  const titled = (value: string): string => JSON.stringify({ title: { operator: 'contains', value } });
  return [
    { what: 'first pages', goal: '', paths: spread(stage, {}) },
    { what: `pages from offset ${offset} on`, goal: '≤ 2', paths: spread(stage, {}, offset) },
    { what: 'pages with a status', goal: '≤ 2', paths: spread(stage, { query: status }) },
    { what: 'pages with a status and a severity', goal: '', paths: spread(stage, { query: both }) },
    { what: 'pages with a common substring', goal: '', paths: spread(stage, { query: titled(COMMON_WORD) }) },
    {
      what: 'page with a rare substring',
      goal: '≤ 5',
      paths: spread(stage, { query: titled(RARE_WORD) }).map(longer),
    },
    { what: 'pages with a status by TQL', goal: '', paths: spread(stage, { expert_query: STATUS }) },
    { what: 'pages by TQL of two terms', goal: '≤ 3', paths: spread(stage, { expert_query: TWO }) },
    { what: 'pages by TQL of several terms', goal: '', paths: spread(stage, { expert_query: SEVERAL }) },
    { what: 'pages by TQL with links', goal: '', paths: spread(stage, { expert_query: LINKED }) },
    { what: 'pages in the order of a date', goal: '', paths: spread(stage, { sort: '-due' }) },
    { what: 'pages in the order of texts and numbers', goal: '', paths: spread(stage, { sort: 'title,-points' }) },
  ];
}

/** One client at a time, so that what is compared is how long an answer takes. */
export const pageTimes: Row = {
  name: 'time',
  async measure(stage) {
    const service = await stage.service();
    const { url, pid, headers } = service;
    const [first, ...others] = questionsOf(stage);
    const questions = [first, ...others.filter(({ goal }) => goal !== '' || !stage.options.quick)];
    const sides = questions.map(({ what, paths }) => ({
      name: what,
      pid,
      load: { url, connections: 1, headers, paths },
    }));
    const { result: samples } = await besideWriters(stage, service, WRITERS, () => inTurn(stage.options, sides));
    return questions.flatMap(({ what, goal }, index) => timesOfFirst(what, goal, samples[index], samples[0]));
  },
};

/** Few match, so there is only one page of them: it is the limit that makes each question another one. */
const longer = (path: string, nth: number): string =>
  path.replace(/limit=\d+/, `limit=${LIMIT + nth}`).replace(/offset=\d+/, 'offset=0');

function timesOfFirst(what: string, goal: string, sample?: Sample, first?: Sample): readonly Measured[] {
  if (sample === undefined || first === undefined) return [];
  return [{ what, ratio: ratioOf(sample, first, 'p50'), goal, figures: described(sample) }];
}
