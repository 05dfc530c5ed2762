/** Killed again and again while clients write: what was acknowledged is there, once, and the reads agree with the log. */
import { expect } from 'chai';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { killAll, NO_FILE, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';

const ROUNDS = 10;
const WRITERS = 6;
/** Writes that a round has to see acknowledged before the kill. */
const WRITES = 60;

interface Acknowledged {
  /** The title that each artifact was last known to have, and those that it may have been given since. */
  readonly artifacts: Map<number, { title: string; revision: number; attempts: Set<string> }>;
  readonly attempted: Set<string>;
}

describe('a service that is killed while it is written to', () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  it('keeps every acknowledged write, once, over ten such ends', async function () {
    this.timeout(300_000);
    const known: Acknowledged = { artifacts: new Map(), attempted: new Set() };
    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await startService(directory.path, round === 0 ? {} : NO_FILE);
      await agrees(service, known);
      await writeUntilKilled(service, known, round);
    }
    const service = await startService(directory.path, NO_FILE);
    await agrees(service, known);
    await service.kill('SIGTERM');
    await agreesWithLog(directory.path, known);
  });
});

async function writeUntilKilled(service: ServiceProcess, known: Acknowledged, round: number): Promise<void> {
  const { id, fields } = await trackerOf(service, 'bug');
  const title = fields.get('title')!;
  let acknowledged = 0;
  let over = false;
  const writer = async (number: number): Promise<void> => {
    for (let nth = 0; !over; nth += 1) {
      const text = `${round}.${number}.${nth}`;
      const values = [{ field_id: title, value: text }];
      const target = nth % 3 === 2 ? [...known.artifacts.keys()].find((one) => one % WRITERS === number) : undefined;
      if (target === undefined) {
        known.attempted.add(text);
        const answer = await service.post('/artifacts', { as: 'alice', body: { tracker: { id }, values } });
        expect(answer.status).to.equal(201);
        known.artifacts.set(Number(answer.body.id), { title: text, revision: 0, attempts: new Set() });
      } else {
        const artifact = known.artifacts.get(target)!;
        artifact.attempts.add(text);
        const answer = await service.put(`/artifacts/${target}`, { as: 'alice', body: { values } });
        expect(answer.status).to.equal(200);
        const revision = Number(/\d+/.exec(answer.headers.get('etag') ?? '')?.[0]);
        expect(revision).to.equal(artifact.revision + 1);
        known.artifacts.set(target, { title: text, revision, attempts: new Set() });
      }
      acknowledged += 1;
      if (acknowledged === WRITES) {
        over = true;
        await service.kill('SIGKILL');
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: WRITERS }, (_, number) => writer(number)));
  for (const each of settled) {
    // Fetch fails with a TypeError when the connection breaks.
    if (each.status === 'rejected') expect(each.reason, String(each.reason)).to.be.instanceOf(TypeError);
  }
  expect(acknowledged).to.be.at.least(WRITES);
}

interface Listed {
  readonly id: number;
  readonly title: string;
  readonly values: readonly { readonly type: string; readonly value?: unknown }[];
}

async function agrees(service: ServiceProcess, known: Acknowledged): Promise<void> {
  const listed = await everyArtifact(service);
  expect(new Set(listed.map(({ id }) => id)).size).to.equal(listed.length);
  const numbers = listed
    .map(({ values }) => Number(values.find(({ type }) => type === 'atid')?.value))
    .sort((a, b) => a - b);
  expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));

  const byId = new Map(listed.map((artifact) => [artifact.id, artifact]));
  for (const [id, { title, attempts }] of known.artifacts) {
    expect([title, ...attempts], `artifact ${id}`).to.include(byId.get(id)?.title);
  }
  for (const { id, title } of listed) await learn(service, known, id, title);
}

async function everyArtifact(service: ServiceProcess): Promise<readonly Listed[]> {
  const { id } = await trackerOf(service, 'bug');
  const listed: Listed[] = [];
  for (;;) {
    const path = `/trackers/${id}/artifacts?values=all&limit=100&offset=${listed.length}`;
    const { status, headers, body } = await service.get(path, { as: 'alice' });
    expect(status).to.equal(200);
    const page = body as readonly Listed[];
    listed.push(...page);
    const total = Number(headers.get('x-pagination-size'));
    if (page.length > 0 && listed.length < total) continue;
    expect(listed).to.have.length(total);
    return listed;
  }
}

/** What was cut off may be there or not, but nothing else. */
async function learn(service: ServiceProcess, known: Acknowledged, id: number, title: string): Promise<void> {
  const before = known.artifacts.get(id);
  if (before?.attempts.size === 0) return;
  const { headers, body } = await service.get(`/artifacts/${id}`, { as: 'alice' });
  expect(body.title).to.equal(title);
  const revision = Number(/\d+/.exec(headers.get('etag') ?? '')?.[0]);
  if (before === undefined) expect([...known.attempted]).to.include(title);
  else expect(revision).to.be.within(before.revision, before.revision + before.attempts.size);
  known.artifacts.set(id, { title, revision, attempts: new Set() });
}

async function agreesWithLog(path: string, known: Acknowledged): Promise<void> {
  const log = await sqliteEventLog(path);
  const titles = new Map<number, number>();
  const submitted: string[] = [];
  for await (const { events } of log.readAll(null, [])) {
    for (const { type, stream, revision, data } of events) {
      if (type !== 'ArtifactSubmitted' && type !== 'ArtifactValuesChanged') continue;
      titles.set(Number(stream.slice('artifact-'.length)), revision);
      if (type === 'ArtifactSubmitted') submitted.push(JSON.stringify(data));
    }
  }
  await log.close();
  expect(new Set(submitted).size).to.equal(submitted.length);
  expect(new Map([...titles].sort(([a], [b]) => a - b))).to.deep.equal(
    new Map(
      [...known.artifacts].map(([id, { revision }]): [number, number] => [id, revision]).sort(([a], [b]) => a - b),
    ),
  );
}
