import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Submitted } from '../../../src/artifacts/commands.js';
import { requestStream } from '../../../src/artifacts/idempotency/accepted-request-events.js';
import { submitOnce } from '../../../src/artifacts/idempotency/commands.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { artifactPorts } from '../../../src/composition/http-server.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { fileStream } from '../../../src/files/file-events.js';
import { fileById } from '../../../src/files/commands.js';
import { openValuesStream } from '../../../src/trackers/tracker-events.js';
import { pausingLog } from '../../support/pausing-log.js';
import { fileApi, type FileApi } from '../../files/file-api.js';
import { type Json } from '../artifact-api.js';

describe('An Idempotency-Key of a submission with files', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  interface Begun {
    /** What the submission comes to once it goes on. */
    readonly goneOn: () => Promise<Submitted | Problem>;
  }

  /** In another process, up to the append to this stream. */
  const begun = async (key: string, values: readonly Json[], stream: StreamName): Promise<Begun> => {
    const log = pausingLog(api.service.log);
    const { definitions } = api.service;
    const caller = { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'begun' };
    const body = { tracker: { id: api.tracker('bug') }, values };
    const submission = { trackerId: body.tracker.id, written: { values } };
    const paused = log.pauseAt((appended) => appended === stream);
    const answer = submitOnce(submission, { key, body }, { ...artifactPorts(api.service), log }, caller).catch(
      (error: unknown) => {
        if (error instanceof Problem) return error;
        throw error;
      },
    );
    const goOn = await paused;
    return {
      goneOn: () => {
        goOn();
        return answer;
      },
    };
  };
  const sent = (key: string, values: readonly Json[]) => api.submit(values, { headers: { 'Idempotency-Key': key } });
  const keyStream = (key: string): StreamName => requestStream(api.user('carol'), key);
  const labelled = (...labels: readonly string[]): Json =>
    api.set('tags', { value: { bind_value_objects: labels.map((label) => ({ label })) } });
  const labels = async (): Promise<readonly string[]> => {
    const { body } = await api.get(`/trackers/${api.tracker('bug')}`, { as: 'carol' });
    const tags = (body.fields as { name: string; values: { label: string }[] }[]).find(({ name }) => name === 'tags');
    return tags!.values.map(({ label }) => label);
  };
  const uploads = (count: number) => Promise.all(Array.from({ length: count }, () => api.uploaded(randomUUID())));
  const claimantOf = async (file: number) => (await fileById(file, api.service))?.claim?.artifactId;
  const total = async (): Promise<number> => {
    const { headers } = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=1`, { as: 'alice' });
    return Number(headers.get('x-pagination-size'));
  };

  it('makes one artifact, without a fence, for many copies at once', async () => {
    const [key, files, before] = [randomUUID(), await uploads(2), await total()];
    const copy = () => sent(key, [api.titled('Copy'), api.attachments(...files)]);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(copy));
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('etag'), body.id]).to.deep.equal([201, '"0"', answers[0]!.body.id]);
    }
    expect(await total()).to.equal(before + 1);
  });

  it('makes one artifact for two processes, wherever the first one pauses', async () => {
    for (const place of ['first file', 'second file', 'labels', 'key'] as const) {
      const [key, label, before] = [randomUUID(), randomUUID(), await total()];
      const files = await uploads(2);
      const values = [api.titled('Twin'), api.attachments(...files), labelled(label)];
      const streams = {
        'first file': fileStream(files[0]!),
        'second file': fileStream(files[1]!),
        labels: openValuesStream(api.field('bug', 'tags')),
        key: keyStream(key),
      };
      const first = await begun(key, values, streams[place]);
      const second = await sent(key, values);
      expect(second.status, `${place} ${JSON.stringify(second.body)}`).to.equal(201);
      expect(await first.goneOn(), place).to.have.property('artifactId', second.body.id);
      expect((await sent(key, values)).body, place).to.deep.equal(second.body);
      expect(await total(), place).to.equal(before + 1);
      expect(await api.held(second.body.id), place).to.deep.equal(files);
      for (const file of files) expect(await claimantOf(file), place).to.equal(second.body.id);
      expect(
        (await labels()).filter((each) => each === label),
        place,
      ).to.have.length(1);
    }
  });

  it('makes one artifact for two processes although the second one dies in between', async () => {
    const [key, files] = [randomUUID(), await uploads(2)];
    const values = [api.titled('Twin'), api.attachments(...files)];
    const first = await begun(key, values, keyStream(key));
    await begun(key, values, keyStream(key));
    const made = (await first.goneOn()) as Submitted;
    expect((await sent(key, values)).body.id).to.equal(made.artifactId);
    for (const file of files) expect(await claimantOf(file)).to.equal(made.artifactId);
  });
});
