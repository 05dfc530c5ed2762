import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('An artifact whose stream has a fence', () => {
  let api: ArtifactApi;
  let artifact: number;
  let unfenced: { readonly body: Record<string, unknown>; readonly modified: string | null };
  before(async () => {
    api = await artifactApi();
    artifact = await api.created([api.titled('Fenced')]);
    const read = await api.read(artifact);
    unfenced = { body: read.body, modified: read.headers.get('last-modified') };
    const metadata = { actor: null, at: new Date(Date.now() + 5000).toISOString(), schema: 1, commandId: randomUUID() };
    const event = { type: 'FileClaimsReleased', data: { artifactId: artifact, files: [9] }, id: randomUUID() };
    const { position } = await api.service.log.append(artifactStream(artifact), 0, [event], metadata);
    await api.service.readModels.caughtUp('artifacts', position, 30_000);
  });
  after(() => api.stop());

  it('has a new Etag and everything else as before', async () => {
    const { body, headers } = await api.read(artifact);
    expect(body).to.deep.equal(unfenced.body);
    expect(headers.get('etag')).to.equal('"1"');
    expect(headers.get('last-modified')).to.equal(unfenced.modified);
  });

  it('is no changeset, and is an entry without changes in the history', async () => {
    const changesets = await api.get(`/artifacts/${artifact}/changesets`, { as: 'dave' });
    expect(changesets.body).to.have.length(1);
    const { body } = await api.get(`/artifacts/${artifact}/history`, { as: 'dave' });
    expect(
      (body as { type: string; changes: unknown[] }[]).map(({ type, changes }) => [type, changes.length]),
    ).to.deep.equal([
      ['ArtifactSubmitted', 3],
      ['FileClaimsReleased', 0],
    ]);
  });

  it('is shown as it was, with the Etag of the revision', async () => {
    const past = await api.get(`/artifacts/${artifact}?revision=1`, { as: 'dave' });
    expect([past.status, past.headers.get('etag'), past.headers.get('last-modified')]).to.deep.equal([
      200,
      '"1"',
      unfenced.modified,
    ]);
  });

  it('takes a change that names its Etag and its Last-Modified', async () => {
    const headers = { 'If-Match': '"1"', 'If-Unmodified-Since': unfenced.modified ?? '' };
    const same = await api.change(artifact, [api.titled('Fenced')], { headers });
    expect([same.status, same.headers.get('etag'), same.headers.get('last-modified')]).to.deep.equal([
      200,
      '"1"',
      unfenced.modified,
    ]);
    expect(await api.changed(artifact, [api.titled('Changed')], { headers })).to.equal('"2"');
    expect(await api.etag(artifact)).to.equal('"2"');
  });
});
