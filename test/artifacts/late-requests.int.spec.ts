import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { requestStream } from '../../src/artifacts/idempotency/accepted-request-events.js';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { submitOnce } from '../../src/artifacts/idempotency/commands.js';
import { openValuesDecider } from '../../src/artifacts/open-values.js';
import { fold } from '../../src/core/decider.js';
import { type EventLog, type NewEvent, type StreamName } from '../../src/core/event-log.js';
import { Problem } from '../../src/core/problem.js';
import { viewer } from '../../src/authorization/viewer.js';
import { artifactPorts } from '../../src/composition/http-server.js';
import { openValuesStream, type OpenValueEvent } from '../../src/trackers/tracker-events.js';
import { pausingLog } from '../support/pausing-log.js';
import { fileApi, type FileApi } from '../files/file-api.js';
import { type Json } from './artifact-api.js';

describe('A submission that is paused', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  const submit = (log: EventLog, values: readonly Json[], key = randomUUID()) => {
    const { definitions } = api.service;
    const caller = { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'paused' };
    const body = { tracker: { id: api.tracker('bug') }, values };
    const submission = { trackerId: body.tracker.id, written: { values } };
    return submitOnce(submission, { key, body }, { ...artifactPorts(api.service), log }, caller);
  };
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const keyed = (title: string, key: string) =>
    api.submit([api.titled(title)], { headers: { 'Idempotency-Key': key } });
  const typesIn = async (stream: StreamName): Promise<readonly string[]> =>
    (await api.service.log.read(stream)).events.map(({ type }) => type);
  const is = (type: string) => (_: StreamName, events: readonly NewEvent[]) =>
    events.some((event) => event.type === type);
  const tags = (...labels: readonly string[]) => api.set('tags', { bind_value_ids: labels });
  const labels = async (): Promise<ReadonlyMap<string, number>> => {
    const { events } = await api.service.log.read<OpenValueEvent>(openValuesStream(api.field('bug', 'tags')));
    const numbers = new Map<string, number>();
    for (let last = fold(openValuesDecider, events); last !== null; last = last.before) {
      expect(numbers.has(last.label), last.label).to.equal(false);
      numbers.set(last.label, last.number);
    }
    return numbers;
  };

  it('before its key is accepted makes the artifact of the request that was faster', async () => {
    const [key, log] = [randomUUID(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('RequestAccepted'));
    const answer = submit(log, [api.titled('Same')], key);
    const goOn = await paused;
    const { body } = await keyed('Same', key);
    goOn();
    expect((await answer).artifactId).to.equal(body.id);
    expect(await typesIn(requestStream(api.user('carol'), key))).to.deep.equal(['RequestAccepted']);
    expect(await typesIn(artifactStream(body.id as number))).to.deep.equal(['ArtifactSubmitted']);
  });

  it('after it looked for its key makes the artifact of its twin, which has attached its file meanwhile', async () => {
    const key = randomUUID();
    const values = [api.titled('Twin'), api.attachments(await api.uploaded())];
    const twin = { id: 0 };
    const log: EventLog = {
      ...api.service.log,
      read: async (stream) => {
        const events = await api.service.log.read(stream);
        if (stream === requestStream(api.user('carol'), key) && twin.id === 0) {
          twin.id = (await api.submit(values, { headers: { 'Idempotency-Key': key } })).body.id as number;
        }
        return events as never;
      },
    };
    expect((await submit(log, values, key)).artifactId).to.equal(twin.id);
  });

  it('before its key is accepted is refused if another body has the key meanwhile', async () => {
    const [key, log] = [randomUUID(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('RequestAccepted'));
    const answer = failureOf(submit(log, [api.titled('One')], key));
    const goOn = await paused;
    expect((await keyed('Other', key)).status).to.equal(201);
    goOn();
    expect(await answer)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'conflict');
  });

  it('after its key was accepted makes one artifact with the request that is sent again meanwhile', async () => {
    const [key, log] = [randomUUID(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('ArtifactSubmitted'));
    const answer = submit(log, [api.titled('Again')], key);
    const goOn = await paused;
    const { status, body } = await keyed('Again', key);
    expect(status).to.equal(201);
    await api.changed(body.id, [api.titled('Changed')]);
    goOn();
    expect(await answer).to.include({ artifactId: body.id, revision: 0 });
    expect(await typesIn(artifactStream(body.id as number))).to.deep.equal([
      'ArtifactSubmitted',
      'ArtifactValuesChanged',
    ]);
    expect((await api.read(body.id)).body.title).to.equal('Changed');
  });

  it('before it adds labels gives new numbers to those that no other request has added meanwhile', async () => {
    const log = pausingLog(api.service.log);
    const paused = log.pauseAt(is('OpenValueAdded'));
    const answer = submit(log, [api.titled('Labels'), tags('both', 'mine')]);
    const goOn = await paused;
    await api.created([tags('theirs', 'both')]);
    goOn();
    const { artifactId } = await answer;
    expect([...(await labels())].sort()).to.deep.equal([
      ['both', 2],
      ['mine', 3],
      ['theirs', 1],
    ]);
    expect((await api.shown(artifactId, 'tags'))?.['bind_value_ids']).to.deep.equal(['both', 'mine']);
  });
});
