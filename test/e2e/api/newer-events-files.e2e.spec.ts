import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { fileStream } from '../../../src/files/file-events.js';
import { FILES } from '../../../src/files/file-view.js';
import { SVN } from '../../../src/svn/repository-view.js';
import { svnStream } from '../../../src/svn/repository-events.js';
import { fileApi, type FileApi } from '../../files/file-api.js';
import { type Answer } from '../../support/client.js';
import { appendNewer } from '../../support/newer-release.js';
import { type RunningService } from '../../support/service.js';
import { svnApi, type SvnApi } from '../../svn/svn-api.js';

async function newer({ service }: RunningService, stream: StreamName, projection: string): Promise<void> {
  const position = await appendNewer(service.log, stream);
  expect(await service.readModels.caughtUp(projection, position, 10_000)).to.equal(true);
}

function isRefused({ status, body }: Answer, stream: StreamName): void {
  expect(status, JSON.stringify(body)).to.equal(503);
  expect(body.error.message).to.include(`${stream} cannot be shown`);
}

describe('a file of which a newer release has written', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  it('is 503 while it is temporary, and so is the list of its owner', async () => {
    const [marked, other] = [await api.uploaded('a', 'carol'), await api.uploaded('b', 'dave')];
    await newer(api, fileStream(marked), FILES);
    isRefused(await api.get('/artifact_temporary_files', { as: 'carol' }), fileStream(marked));
    const { body } = await api.get('/artifact_temporary_files', { as: 'dave' });
    expect(body.map(({ id }: { id: number }) => id)).to.deep.equal([other]);
  });

  it('is still described with its artifact, and its bytes are 503', async () => {
    const [marked, other] = [await api.uploaded('c', 'dave'), await api.uploaded('d', 'dave')];
    const artifact = await api.created([api.attachments(marked, other)], { as: 'dave' });
    await newer(api, fileStream(marked), FILES);
    expect(await api.held(artifact)).to.deep.equal([marked, other]);
    isRefused(await api.get(`/artifact_files/${marked}`, { as: 'dave' }), fileStream(marked));
    expect(String(await api.content(other))).to.equal('d');
  });

  it('is 503 with its artifact if no earlier state is known', async () => {
    const artifact = await api.created();
    await newer(api, fileStream(99_999), FILES);
    const { log } = api.service;
    const data = {
      ...{ artifactId: artifact, trackerId: api.tracker('bug'), attachedFiles: [99_999] },
      values: { [api.field('bug', 'attachments')]: [99_999] },
    };
    const position = await appendNewer(log, artifactStream(artifact), { type: 'ArtifactValuesChanged', data });
    expect(await api.service.readModels.caughtUp('artifacts', position, 10_000)).to.equal(true);
    isRefused(await api.read(artifact), fileStream(99_999));
  });
});

describe('a repository of which a newer release has written', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  it('is 503, and so is each page of its project with the repository', async () => {
    const [first, marked] = [await api.created('first'), await api.created('second')];
    const page = (query: string) => api.get(`/projects/${api.project('hydra')}/svn?${query}`, { as: 'pam' });
    await newer(api, svnStream(marked), SVN);
    isRefused(await api.get(`/svn/${marked}`, { as: 'pam' }), svnStream(marked));
    isRefused(await page('limit=10'), svnStream(marked));
    expect((await page('limit=1')).status).to.equal(200);
    expect((await api.get(`/svn/${first}`, { as: 'pam' })).status).to.equal(200);
  });
});
