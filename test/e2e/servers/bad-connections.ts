/** The service on the double of EventStoreDB and on a MongoDB, behind connections that can be bad. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { ARTIFACTS, artifactViews } from '../../../src/artifacts/artifact-view.js';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { type Recorded } from '../../../src/core/event-log.js';
import { createLogger } from '../../../src/logging/logger.js';
import { type Answer } from '../../support/client.js';
import { eventStoreDouble } from '../../support/eventstoredb/double.js';
import { freshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { withOptions } from '../../support/mongodb/options.js';
import { runService, type RunningService } from '../../support/service.js';
import { TEST_JWT_SECRET } from '../../support/stores.js';
import { targetOf, tcpProxy, through, type TcpProxy } from '../../support/tcp-proxy.js';

/** A part of the connection string that nobody may find in a log. */
export const SECRET = 'open-sesame';

const PLATFORM = `
users:
  - { username: carol, real_name: Carol Clark, email: carol@example.org, password: carol's password, site_admin: true }
projects:
  - shortname: hydra
    label: Hydra
    members: [carol]
    trackers:
      - item_name: bug
        label: Bugs
        fields:
          - { name: title, label: Title, type: string, required: true }
          - { name: points, label: Points, type: int }
        semantics: { title: title }
`;

export interface BadConnections extends RunningService {
  readonly eventStoreDb: TcpProxy;
  readonly mongoDb: TcpProxy;
  /** What it has logged so far, line by line. */
  readonly lines: () => readonly string[];
  readonly submit: (title: string, key?: string) => Promise<Answer>;
  readonly change: (id: number, title: string, etag?: string) => Promise<Answer>;
  readonly read: (id: number) => Promise<Answer>;
  /** What is told of the artifact under this path, `/changesets` for instance. */
  readonly told: (id: number, path: string) => Promise<Answer>;
  /** A page of the bugs that have a word in their titles. */
  readonly titled: (word: string, limit?: number) => Promise<Answer>;
}

/** Registers specs where the stand-in is found that takes whatever a service may do. */
export function onBadConnections(title: string, register: (service: () => BadConnections) => void): void {
  onStandIn('mongo-java-server', title, ({ url }) => {
    let running: BadConnections | undefined;
    before(async () => {
      running = await badConnections(url());
    });
    after(() => running?.stop());
    register(() => running!);
  });
}

async function badConnections(mongoDbServer: string): Promise<BadConnections> {
  const [double, database] = [await eventStoreDouble(), freshDatabase(mongoDbServer)];
  const eventStoreDb = await tcpProxy(targetOf(double.connectionString));
  const mongoDb = await tcpProxy(targetOf(database.url));
  const signedIn = new URL(through(eventStoreDb, double.connectionString));
  signedIn.username = 'ledger';
  signedIn.password = SECRET;
  let logged = '';
  const api = await runService({
    platform: PLATFORM,
    env: {
      EVENTSTOREDB_URL: signedIn.href,
      // The server would name the way that leads past the proxy.
      MONGODB_URL: withOptions(through(mongoDb, database.url), 'directConnection=true'),
      JWT_SECRET: TEST_JWT_SECRET,
    },
    logger: createLogger('warn', { write: (line) => (logged += line) }),
  });
  await api.signIn('carol');
  return {
    ...api,
    ...requests(api),
    eventStoreDb,
    mongoDb,
    lines: () => logged.split('\n').filter(Boolean),
    stop: async () => {
      await api.stop();
      await Promise.all([eventStoreDb.close(), mongoDb.close(), database.drop()]);
      double.stop();
    },
  };
}

type Requests = Pick<BadConnections, 'submit' | 'change' | 'read' | 'told' | 'titled'>;

function requests(api: RunningService): Requests {
  const id = api.tracker('bug');
  const values = (value: string) => [{ field_id: api.field('bug', 'title'), value }];
  return {
    submit: (title, key) =>
      api.post('/artifacts', {
        as: 'carol',
        body: { tracker: { id }, values: values(title) },
        headers: key === undefined ? {} : { 'Idempotency-Key': key },
      }),
    change: (artifactId, title, etag) =>
      api.put(`/artifacts/${artifactId}`, {
        as: 'carol',
        body: { values: values(title) },
        headers: etag === undefined ? {} : { 'If-Match': etag },
      }),
    read: (artifactId) => api.get(`/artifacts/${artifactId}`, { as: 'carol' }),
    told: (artifactId, path) => api.get(`/artifacts/${artifactId}${path}`, { as: 'carol' }),
    titled: (word, limit = 10) =>
      api.get(
        `/trackers/${id}/artifacts?limit=${limit}&values=all${word === '' ? '' : `&query=${JSON.stringify({ title: word })}`}`,
        {
          as: 'carol',
        },
      ),
  };
}

/** As if the server was not there. */
export function away(...servers: readonly TcpProxy[]): void {
  for (const server of servers) {
    server.refuse();
    server.cut();
  }
}

export function back(...servers: readonly TcpProxy[]): void {
  for (const server of servers) server.accept();
}

/** Cuts all connections again and again while the work is done, which has something under way most of the time. */
export async function whileCutting<T>(server: TcpProxy, everyMs: number, work: () => Promise<T>): Promise<T> {
  server.delay(ON_THE_WAY_MS);
  const timer = setInterval(() => {
    server.cut();
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    server.delay(0);
  }
}

const ON_THE_WAY_MS = 10;

export interface Asked {
  readonly answers: readonly Answer[];
  /** In milliseconds. */
  readonly slowest: number;
}

/** Sends all of them every now and then, without waiting for answers before it ends. */
export async function askedFor(milliseconds: number, sends: readonly (() => Promise<Answer>)[]): Promise<Asked> {
  let slowest = 0;
  const asked: Promise<Answer>[] = [];
  const ask = async (send: () => Promise<Answer>): Promise<Answer> => {
    const sent = performance.now();
    const answer = await send();
    slowest = Math.max(slowest, performance.now() - sent);
    return answer;
  };
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    asked.push(...sends.map(ask));
    await sleep(500);
  }
  return { answers: await Promise.all(asked), slowest };
}

/** An answer of a service that cannot do better now. */
export function expectUnavailable({ status, headers, body }: Answer): void {
  expect(status, JSON.stringify(body)).to.equal(503);
  expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
}

/** Sends it again for as long as the service says that it cannot do it now. Any other answer is the last one. */
export async function insistently(send: () => Promise<Answer>, patienceMs = 30_000): Promise<Answer> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    expectUnavailable(answer);
    expect(performance.now(), 'the service does not recover').to.be.below(until);
    await sleep(100);
  }
}

/** Whatever the log has, the read models have, and nothing else. */
export async function expectReadModelsLikeLog(api: BadConnections): Promise<void> {
  const folded = await foldedLog(api);
  const ids = [...folded.keys()].sort((a, b) => a - b);
  const end = await api.service.log.end();
  expect(end !== null && (await api.service.readModels.caughtUp(ARTIFACTS, end, 20_000))).to.equal(true);

  // Until a late look at the state has come, no read is answered.
  const page = await insistently(() => api.titled('', 10));
  const shown = await Promise.all(ids.map((id) => api.service.readModels.get(artifactViews, id)));
  const title = api.field('bug', 'title');
  const told = shown.map((view) => view && [view.id, view.revision, textIn(view.values[title])]);
  expect(told).to.deep.equal(ids.map((id) => [id, folded.get(id)?.revision, folded.get(id)?.title]));

  expect(Number(page.headers.get('x-pagination-size'))).to.equal(ids.length);
  expect((page.body as { id: number }[]).map(({ id }) => id)).to.deep.equal(ids.slice(0, 10));
}

/** An artifact as its events tell, added up in the simplest way. */
export interface Folded {
  readonly revision: number;
  readonly title: string;
  /** All that it ever had. */
  readonly titles: readonly string[];
}

export async function foldedLog(api: RunningService): Promise<ReadonlyMap<number, Folded>> {
  const artifacts = new Map<number, Folded>();
  const title = api.field('bug', 'title');
  for await (const { events } of api.service.log.readAll(null, [])) {
    for (const { type, data, revision } of events as readonly Recorded<ArtifactEvent>[]) {
      if (type !== 'ArtifactSubmitted' && type !== 'ArtifactValuesChanged') continue;
      const known = artifacts.get(data.artifactId);
      const now = 'values' in data ? textIn(data.values[title]) : '';
      artifacts.set(data.artifactId, { revision, title: now, titles: [...(known?.titles ?? []), now] });
    }
  }
  return artifacts;
}

function textIn(value: FieldValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
