import { expect } from 'chai';
import { requestStream } from '../../../src/artifacts/idempotency/accepted-request-events.js';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { nameStream } from '../../../src/core/name-reservation.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { svnStream } from '../../../src/svn/repository-events.js';
import { openValuesStream } from '../../../src/trackers/tracker-events.js';
import { userStream } from '../../../src/users/user-events.js';
import { artifactApi, type ArtifactApi } from '../../artifacts/artifact-api.js';
import { ALL_SETTINGS, svnApi } from '../../svn/svn-api.js';
import { type Answer } from '../../support/client.js';
import { appendNewer } from '../../support/newer-release.js';

describe('a stream that holds an event of a newer release', () => {
  let api: ArtifactApi;

  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const newer = (stream: StreamName) => appendNewer(api.service.log, stream);
  const isRefused = ({ status, headers, body }: Answer, stream: StreamName): void => {
    expect(status, JSON.stringify(body)).to.equal(503);
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
    expect(body.error.message).to.include(stream).and.to.include('WrittenByANewerRelease');
  };

  it('answers changes and history with 503 and its name, while other streams are served', async () => {
    const [id, other] = [await api.created(), await api.created()];
    const stream = artifactStream(id);
    await newer(stream);
    isRefused(await api.change(id, [api.titled('Late')]), stream);
    isRefused(await api.request('DELETE', `/artifacts/${id}`, { as: 'bob' }), stream);

    await api.changed(other, [api.titled('Late')]);
    expect((await api.get(`/artifacts/${other}/history`, { as: 'carol' })).body).to.have.length(2);
  });

  it('refuses the requests that carry its Idempotency-Key', async () => {
    const stream = requestStream(api.user('carol'), 'key-of-a-newer-release');
    await newer(stream);
    const headers = { 'Idempotency-Key': 'key-of-a-newer-release' };
    isRefused(await api.submit([api.titled('Once')], { headers }), stream);
    expect((await api.submit([api.titled('Once')], { headers: { 'Idempotency-Key': 'another' } })).status).to.equal(
      201,
    );
  });

  it('refuses the name of that stream with 503, and accepts other names', async () => {
    const svn = await svnApi();
    const planted = (stream: StreamName) => appendNewer(svn.service.log, stream);
    const name = nameStream({ kind: 'svn', scope: svn.project('hydra'), name: 'newer' });
    await planted(name);
    isRefused(await svn.create('newer'), name);

    const id = await svn.created('usual');
    await planted(svnStream(id));
    isRefused(await svn.put(`/svn/${id}`, { as: 'pam', body: { settings: ALL_SETTINGS } }), svnStream(id));
    await svn.stop();
  });

  it('refuses the deletions of its user, and deletes for others', async () => {
    const [id, stream] = [await api.created(), deletionsStream(api.user('bob'))];
    await newer(stream);
    isRefused(await api.request('DELETE', `/artifacts/${id}`, { as: 'bob' }), stream);
    expect((await api.request('DELETE', `/artifacts/${id}`, { as: 'alice' })).status).to.equal(200);
  });

  it('takes no new label of its open list', async () => {
    const stream = openValuesStream(api.field('bug', 'tags'));
    await newer(stream);
    isRefused(await api.submit([api.titled('Tagged'), api.set('tags', { bind_value_ids: ['new'] })]), stream);
  });

  it('creates no access key for its user', async () => {
    await api.signIn('dave');
    const stream = userStream(api.user('dave'));
    await newer(stream);
    isRefused(await api.post('/access_keys', { as: 'dave', body: { description: 'newer' } }), stream);
  });

  it('hands out no ids of its kind', async () => {
    await newer('ids-unheard-of');
    const refused = await api.service
      .idsOf('unheard-of')
      .next()
      .catch((error: unknown) => error);
    expect(refused).to.include({ kind: 'unavailable', stream: 'ids-unheard-of' });
  });
});
