import { expect } from 'chai';
import fc from 'fast-check';
import { artifactApi, type ArtifactApi } from '../../artifacts/artifact-api.js';
import { answered, changing, commands, READERS } from './any-changes.js';

const isEmbedded = (process.env['TEST_STORES'] ?? '') === '';
/** On servers every write takes its time. */
const RUNS = isEmbedded ? 3 : 1;

const SHAPES = ['', '?values_format=all', '?tracker_structure_format=complete'];

describe('304 for any artifact and any reader', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  /** What was received, by reader, path and tag. */
  const received = new Map<string, Set<string>>();
  let confirmed = 0;

  /** Polls with the tag that was received last. */
  async function poll(path: string, as: string | undefined, tags: Map<string, string>): Promise<void> {
    const reader = `${as} ${path}`;
    const known = tags.get(reader);
    const by = as === undefined ? {} : { as };
    const condition = known === undefined ? {} : { 'If-None-Match': known };
    const polled = await answered(() => api.get(path, { ...by, headers: condition }));
    const { status, headers, body } = await answered(() => api.get(path, by));
    const text = JSON.stringify(body);
    const tag = headers.get('etag') ?? '';
    if (polled.status === 304) {
      confirmed += 1;
      expect([status, tag], reader).to.deep.equal([200, known]);
      expect([...received.get(`${reader} ${tag}`)!], reader).to.deep.equal([text]);
    } else expect([polled.status, JSON.stringify(polled.body)], reader).to.deep.equal([status, text]);
    if (status !== 200) return;
    tags.set(reader, tag);
    received.set(`${reader} ${tag}`, (received.get(`${reader} ${tag}`) ?? new Set()).add(text));
  }

  async function pollAll(ids: readonly number[], tags: Map<string, string>): Promise<void> {
    const paths = ids.flatMap((id) => SHAPES.map((shape) => `/artifacts/${id}${shape}`));
    await Promise.all(paths.flatMap((path) => READERS.map((as) => poll(path, as, tags))));
  }

  it('is only answered where the reader would be given the text that they got with the tag, every time', async function () {
    this.timeout(300_000);
    const property = fc.asyncProperty(commands, async (taken) => {
      const { ids, carryOut } = await changing(api);
      const tags = new Map<string, string>();
      await pollAll(ids, tags);
      for (const each of taken) {
        await carryOut(each);
        await pollAll(ids, tags);
      }
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    expect(confirmed > 0).to.equal(isEmbedded);
  });
});
