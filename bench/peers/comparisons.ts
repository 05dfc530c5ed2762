/** The same reads of both. */
import { type Side } from '../compare.js';
import { pathOf } from '../rows/pages.js';
import { othersIn } from '../rows/get-one.js';
import { type RunningService, type Stage, textAt } from '../stage.js';
import { FIRST_TRACKER, recordId } from './records.js';

export interface Sides {
  readonly service: RunningService;
  readonly peer: RunningService;
}

export interface Comparison {
  readonly what: string;
  readonly service: Side['load'];
  readonly peer: Side['load'];
  /** Of the answers. */
  readonly bytes: readonly string[];
}

export const RECORDS = '/api/collections/artifacts/records';
export const ARTIFACT = 1000;
const CONNECTIONS = 50;
const LIMIT = 50;
const PAGES = 500;
export const STATUS = 'In progress';
const STATUSES = 5;
/** All names that the answer of the service has, too. */
const EXPANDED = 'tracker,assigned_to,submitted_by,updated_by,links';

interface Read {
  readonly what: string;
  readonly connections: number;
  /** One, or several that are asked for in turn. */
  readonly service: readonly string[];
  readonly peer: readonly string[];
  /** Sent to both. PocketBase compresses no answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

const GZIP = { 'Accept-Encoding': 'gzip' };

export function gets(stage: Stage, sides: Sides): Promise<readonly Comparison[]> {
  const artifacts = othersIn(stage);
  const one = [`/api/artifacts/${ARTIFACT}`];
  const record = `${RECORDS}/${recordId(ARTIFACT)}`;
  const records = recordsOf(artifacts);
  return allAsked(sides, [
    { what: 'an artifact again and again', connections: CONNECTIONS, service: one, peer: [record] },
    { what: `${artifacts.length} in turn`, connections: CONNECTIONS, service: artifacts, peer: records },
  ]);
}

export const recordsOf = (artifacts: readonly string[]): readonly string[] =>
  artifacts.map((path) => `${RECORDS}/${recordId(Number(path.split('/').at(-1)))}`);

const ALL = { values: 'all' };

export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, nth) => nth);

/** The query is one for PocketBase. */
const pagesInTurn = (stage: Stage, query: Query) => ({
  service: numbers(PAGES).map((nth) => pathOf(stage, { ...ALL, offset: nth * LIMIT })),
  peer: numbers(PAGES).map((nth) => page({ ...query, page: nth + 1 })),
});

/** The service always names users and trackers. PocketBase does so on request. */
export function expanded(stage: Stage, sides: Sides): Promise<readonly Comparison[]> {
  const record = `${RECORDS}/${recordId(ARTIFACT)}?expand=${EXPANDED}`;
  const inTurn = pagesInTurn(stage, { expand: EXPANDED });
  return allAsked(sides, [
    {
      what: 'an artifact again and again',
      connections: CONNECTIONS,
      service: [`/api/artifacts/${ARTIFACT}`],
      peer: [record],
    },
    { what: `${PAGES} pages in turn, 1 client`, connections: 1, ...inTurn },
    { what: 'the same, 32 clients', connections: 32, ...inTurn },
  ]);
}

export function pages(stage: Stage, sides: Sides): Promise<readonly Comparison[]> {
  const first = { service: [pathOf(stage, ALL)], peer: [page({})] };
  const inTurn = (query: Query) => pagesInTurn(stage, query);
  return allAsked(sides, [
    { what: `of ${LIMIT}, all values, again and again, 1 client`, connections: 1, ...first },
    { what: 'the same, 32 clients', connections: 32, ...first },
    { what: `${PAGES} in turn, 1 client`, connections: 1, ...inTurn({}) },
    { what: 'the same, 32 clients', connections: 32, ...inTurn({}) },
    { what: 'the same, PocketBase without the total', connections: 32, ...inTurn({ skipTotal: 1 }) },
    { what: `${PAGES} in turn, 1 client that takes gzip`, connections: 1, headers: GZIP, ...inTurn({}) },
    { what: 'the same, 32 clients', connections: 32, headers: GZIP, ...inTurn({}) },
  ]);
}

export function filters(stage: Stage, sides: Sides): Promise<readonly Comparison[]> {
  const expert = { ...ALL, expert_query: `status = "${STATUS}"` };
  const filter = ` && status = "${STATUS}"`;
  const count = Math.floor(stage.seeded.inTracker / STATUSES / LIMIT);
  const each = numbers(Math.max(1, Math.min(PAGES, count)));
  const service = each.map((nth) => pathOf(stage, { ...expert, offset: nth * LIMIT }));
  const peer = each.map((nth) => page({ page: nth + 1 }, filter));
  return allAsked(sides, [
    {
      what: 'again and again, 32 clients',
      connections: 32,
      service: [pathOf(stage, expert)],
      peer: [page({}, filter)],
    },
    { what: `${each.length} in turn, 1 client`, connections: 1, service, peer },
    { what: 'the same, 32 clients', connections: 32, service, peer },
    { what: 'the same, 1 client that takes gzip', connections: 1, service, peer, headers: GZIP },
  ]);
}

const allAsked = (sides: Sides, reads: readonly Read[]): Promise<readonly Comparison[]> =>
  Promise.all(reads.map((read) => asked(sides, read)));

type Query = Readonly<Record<string, string | number>>;

function page(query: Query, filter = ''): string {
  const parameters = new URLSearchParams({ perPage: String(LIMIT), sort: 'id' });
  parameters.set('filter', `tracker = "${FIRST_TRACKER}"${filter}`);
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `${RECORDS}?${parameters.toString()}`;
}

async function asked({ service, peer }: Sides, read: Read): Promise<Comparison> {
  const { what, connections } = read;
  const loadOf = ({ url, headers }: RunningService, paths: readonly string[]) => ({
    url: `${url}${paths[0] ?? ''}`,
    connections,
    headers: { ...headers, ...read.headers },
    ...(paths.length > 1 && { paths }),
  });
  const own = loadOf(service, read.service);
  const theirs = loadOf(peer, read.peer);
  const [ours, others] = await Promise.all([textAt(own.url, service.headers), textAt(theirs.url, peer.headers)]);
  return { what, service: own, peer: theirs, bytes: bytesOf(ours, others) };
}

export const bytesOf = (service: string, peer: string): readonly string[] => [
  `${Buffer.byteLength(service)} and ${Buffer.byteLength(peer)} bytes`,
];
