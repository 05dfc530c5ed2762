import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import {
  askedFor,
  away,
  back,
  expectReadModelsLikeLog,
  expectUnavailable,
  foldedLog,
  insistently,
  onBadConnections,
  SECRET,
  type Asked,
  type BadConnections,
} from './bad-connections.js';

const AWAY_MS = 5000;
/** Twice the time-outs of the stores, for a machine that has other things to do. */
const LONGEST_MS = 25_000;
/** For as long as it takes to find a server again that was away for longer. */
const RECOVERY_MS = 20_000;

const statusesOf = ({ answers }: Asked): readonly number[] => answers.map(({ status }) => status);

/** A title that an artifact was given, as the service has said. */
interface Acknowledged {
  readonly id: number;
  readonly title: string;
}

interface Writes {
  readonly sends: readonly (() => Promise<Answer>)[];
  /** Grows with the answers. */
  readonly acknowledged: readonly Acknowledged[];
}

/** What was acknowledged stands in the log, once, and what was not is there once at most. */
async function expectEachOnce(api: BadConnections, { acknowledged }: Writes): Promise<void> {
  const folded = await foldedLog(api);
  const titles = [...folded.values()].flatMap((artifact) => artifact.titles);
  expect(new Set(titles).size, titles.join()).to.equal(titles.length);
  const lost = acknowledged.filter(({ id, title }) => folded.get(id)?.titles.includes(title) !== true);
  expect(lost, titles.join()).to.deep.equal([]);
}

function writesTo(api: BadConnections, artifact: number): Writes {
  const acknowledged: Acknowledged[] = [];
  let n = 0;
  const submitted = async (title: string, key: string): Promise<Answer> => {
    const answer = await api.submit(title, key);
    if (answer.status === 201) acknowledged.push({ id: Number(answer.body.id), title });
    return answer;
  };
  const changed = async (title: string): Promise<Answer> => {
    const answer = await api.change(artifact, title);
    if (answer.status === 200) acknowledged.push({ id: artifact, title });
    return answer;
  };
  const sends = [() => submitted(`new ${(n += 1)}`, `key-${n}`), () => changed(`changed ${(n += 1)}`)];
  return { sends, acknowledged };
}

function readsOf(api: BadConnections, artifact: number) {
  return [
    () => api.get('/projects', { as: 'carol' }),
    () => api.get(`/trackers/${api.tracker('bug')}`, { as: 'carol' }),
    () => api.read(artifact),
    () => api.titled('before'),
  ];
}

/** Paths of an artifact that are answered from the log itself. */
const FROM_THE_LOG = ['/changesets', '/history', '?revision=0'];

/** A line now and then, whatever is tried in between. */
function expectFewLines(api: BadConnections): void {
  const [lines, text] = [api.lines(), api.lines().join('\n')];
  const about = (msg: string): number => lines.filter((line) => line.includes(msg)).length;
  expect(about('server unavailable, retrying'), text).to.be.within(1, 20);
  expect(text).to.not.include(SECRET).and.not.include('defect');
}

async function expectNoTokens(api: BadConnections, artifact: number): Promise<void> {
  const sent = performance.now();
  for (const ask of [() => api.get('/projects', { as: 'carol' }), () => api.change(artifact, 'too late')]) {
    const answer = await ask();
    expectUnavailable(answer);
    expect(answer.body.error.message).to.include('cannot be verified; retry later');
  }
  expect(performance.now() - sent).to.be.below(2000);
}

async function expectTokens(api: BadConnections, artifact: number): Promise<void> {
  expect((await insistently(() => api.read(artifact), RECOVERY_MS)).status).to.equal(200);
  expect((await insistently(() => api.change(artifact, 'in time'), RECOVERY_MS)).status).to.equal(200);
  await expectReadModelsLikeLog(api);
}

onBadConnections('Without EventStoreDB for a while, the service', (service) => {
  let [api, known]: [BadConnections, number] = [null as never, 0];
  let [writing, reading]: Asked[] = [];
  let [writes, fromLog]: [Writes, readonly Asked[]] = [null as never, []];

  before(async () => {
    api = service();
    known = (await api.submit('before')).body.id;
    writes = writesTo(api, known);
    away(api.eventStoreDb);
    const asked = Promise.all([askedFor(AWAY_MS, writes.sends), askedFor(AWAY_MS, readsOf(api, known))]);
    const askedOfLog = Promise.all(FROM_THE_LOG.map((path) => askedFor(AWAY_MS, [() => api.told(known, path)])));
    await sleep(AWAY_MS);
    back(api.eventStoreDb);
    [writing, reading] = await asked;
    fromLog = await askedOfLog;
  });

  it('answers a write with 503 and Retry-After within its time-out', () => {
    expect(writing!.slowest).to.be.below(LONGEST_MS);
    const refused = writing!.answers.filter(({ status }) => status >= 300);
    expect(refused).to.not.be.empty;
    refused.forEach(expectUnavailable);
  });

  it('continues to answer reads of documents', () => {
    expect(reading!.slowest).to.be.below(LONGEST_MS);
    expect(new Set(statusesOf(reading!))).to.deep.equal(new Set([200]));
  });

  for (const [n, path] of FROM_THE_LOG.entries()) {
    it(`refuses for another try what only the log can tell: ${path}`, async () => {
      expect(fromLog[n]!.slowest).to.be.below(LONGEST_MS);
      const refused = fromLog[n]!.answers.filter(({ status }) => status !== 200);
      expect(refused).to.not.be.empty;
      refused.forEach(expectUnavailable);
      expect((await insistently(() => api.told(known, path), RECOVERY_MS)).status).to.equal(200);
    });
  }

  it('writes again by itself, and has everything that it acknowledged, once', async () => {
    expect((await insistently(() => api.submit('after', 'after'), RECOVERY_MS)).status).to.equal(201);
    await expectEachOnce(api, writes);
    await expectReadModelsLikeLog(api);
  });

  it('logs a few lines without secrets', () => {
    expectFewLines(api);
  });

  it('accepts no tokens once it could not follow revocations for 10 seconds', async () => {
    away(api.eventStoreDb);
    await sleep(10_500);
    await expectNoTokens(api, known);
    expect((await api.get('/projects')).status).to.equal(200);
    back(api.eventStoreDb);
    await expectTokens(api, known);
  });
});

onBadConnections('Without MongoDB for a while, the service', (service) => {
  let [api, known]: [BadConnections, number] = [null as never, 0];
  let [writing, reading]: Asked[] = [];
  let [writes, meanwhile]: [Writes, readonly Acknowledged[]] = [null as never, []];

  before(async () => {
    api = service();
    known = (await api.submit('before')).body.id;
    writes = writesTo(api, known);
    for (const write of writes.sends) await write();
    const before = writes.acknowledged.length;
    away(api.mongoDb);
    const reads = readsOf(api, known).slice(2);
    const asked = Promise.all([askedFor(AWAY_MS, writes.sends), askedFor(AWAY_MS, reads)]);
    await sleep(AWAY_MS);
    meanwhile = writes.acknowledged.slice(before);
    back(api.mongoDb);
    [writing, reading] = await asked;
  });

  it('answers a read with 503 and Retry-After within its time-out', () => {
    expect(reading!.slowest).to.be.below(LONGEST_MS);
    const refused = reading!.answers.filter(({ status }) => status !== 200);
    expect(refused).to.not.be.empty;
    refused.forEach(expectUnavailable);
  });

  it('acknowledges only writes that are in the log', async () => {
    expect(writing!.slowest).to.be.below(LONGEST_MS);
    writing!.answers.filter(({ status }) => status >= 300).forEach(expectUnavailable);
    await expectEachOnce(api, writes);
  });

  it('continues to acknowledge writes that need only the log', () => {
    const changes = meanwhile.filter(({ id }) => id === known);
    expect(changes).to.not.be.empty;
    expect(meanwhile).to.have.length.above(changes.length);
  });

  it('shows everything by itself once the server is back', async () => {
    expect((await insistently(() => api.submit('after', 'after'), RECOVERY_MS)).status).to.equal(201);
    expect((await insistently(() => api.read(known), RECOVERY_MS)).status).to.equal(200);
    await expectReadModelsLikeLog(api);
  });

  it('logs a few lines without secrets', () => {
    expectFewLines(api);
  });

  it('accepts no tokens once it could not follow revocations for 10 seconds', async () => {
    away(api.mongoDb);
    await sleep(10_500);
    await expectNoTokens(api, known);
    back(api.mongoDb);
    await expectTokens(api, known);
  });
});
