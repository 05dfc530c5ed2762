import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { historyPage } from '../../../src/artifacts/history/queries.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type Service } from '../../../src/composition/service.js';
import { withIds } from '../../../src/core/event-id.js';
import { turns } from '../../support/turns.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('the history of an artifact', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const deleted = async (id: number): Promise<void> => {
    const stream = artifactStream(id);
    const { revision } = await api.service.log.read(stream);
    const event = { type: 'ArtifactDeleted', data: { artifactId: id, trackerId: api.tracker('bug') } };
    const metadata = { actor: api.user('bob'), at: new Date().toISOString(), schema: 1, commandId: `delete-${id}` };
    const { position } = await api.service.log.append(
      stream,
      revision,
      withIds(stream, metadata.commandId, [event]),
      metadata,
    );
    await api.service.readModels.caughtUp('artifacts', position);
  };

  it('is read while others have their turn between the artifact and its log', async () => {
    const { service } = api;
    const id = await api.created();
    const loop = turns();
    const asked: (readonly [string, number])[] = [];
    const noting: Pick<Service, 'readModels' | 'log'> = {
      readModels: {
        ...service.readModels,
        get: async (...given) => {
          const found = await service.readModels.get(...given);
          asked.push(['artifact', loop.count()]);
          return found;
        },
      },
      log: {
        ...service.log,
        read: (...given) => {
          asked.push(['log', loop.count()]);
          return service.log.read(...given);
        },
      },
    };
    const reading = { ...service, ...noting, viewer: viewer(service.definitions, null) };
    await historyPage(id, { order: 'asc', limit: 50, offset: 0 }, reading);
    loop.stop();
    expect(asked.map(([what]) => what)).to.deep.equal(['artifact', 'log', 'artifact']);
    expect(asked[1]![1]).to.be.greaterThan(asked[0]![1]);
  });

  it('holds every event with its author and the values before and after', async () => {
    const id = await api.created([api.set('severity', { bind_value_ids: [api.value('bug', 'severity', 'Minor')] })]);
    await api.change(id, [api.titled('Crash at night')], { as: 'bob', comment: { body: 'Seen', format: 'text' } });
    const { status, headers, body } = await api.get(`/artifacts/${id}/history`);
    expect(status).to.equal(200);
    expect(headers.get('x-pagination-size')).to.equal('2');
    expect(headers.get('x-pagination-limit-max')).to.equal('1000');
    expect(body[1]).to.deep.include({
      revision: 1,
      type: 'ArtifactValuesChanged',
      actor: { id: api.user('bob'), username: 'bob', uri: `users/${api.user('bob')}` },
      comment: { body: 'Seen', format: 'text' },
      changes: [
        {
          field_id: api.field('bug', 'title'),
          name: 'title',
          label: 'Title',
          before: 'Crash',
          after: 'Crash at night',
        },
      ],
    });
    expect(body[0]).to.include({ revision: 0, type: 'ArtifactSubmitted', comment: null });
    expect(body[0].changes).to.deep.include({
      field_id: api.field('bug', 'severity'),
      name: 'severity',
      label: 'Severity',
      before: null,
      after: [{ id: api.value('bug', 'severity', 'Minor'), label: 'Minor' }],
    });
    expect(body[0].at).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(body[0].position < body[1].position).to.equal(true);
  });

  it('comes in pages, from either end', async () => {
    const id = await api.created();
    for (const title of ['a', 'b', 'c']) await api.changed(id, [api.titled(title)]);
    const revisions = async (query: string): Promise<readonly number[]> => {
      const { body } = await api.get(`/artifacts/${id}/history?${query}`);
      return body.map(({ revision }: { revision: number }) => revision);
    };
    expect(await revisions('limit=2')).to.deep.equal([0, 1]);
    expect(await revisions('limit=2&offset=2')).to.deep.equal([2, 3]);
    expect(await revisions('limit=2&order=desc')).to.deep.equal([3, 2]);
    expect((await api.get(`/artifacts/${id}/history?limit=1001`)).status).to.equal(400);
  });

  it('leaves out the fields that the reader may not see', async () => {
    const id = await api.created([api.set('secret', { value: 'psst' })], { as: 'alice' });
    const names = async (as?: string): Promise<readonly string[]> => {
      const { body } = await api.get(`/artifacts/${id}/history`, as === undefined ? {} : { as });
      return body[0].changes.map(({ name }: { name: string }) => name);
    };
    expect(await names('alice')).to.include('secret');
    expect(await names())
      .to.include('title')
      .and.not.to.include('secret');
  });

  it('is kept of a deleted artifact for the administrators of its tracker', async () => {
    const id = await api.created();
    await deleted(id);
    for (const as of ['alice', 'bob']) {
      const { status, body } = await api.get(`/artifacts/${id}/history`, { as });
      expect(status).to.equal(200);
      expect(body.map(({ type }: { type: string }) => type)).to.deep.equal(['ArtifactSubmitted', 'ArtifactDeleted']);
    }
    expect((await api.get(`/artifacts/${id}/history`, { as: 'carol' })).status).to.equal(404);
    expect((await api.get(`/artifacts/${id}/history`)).status).to.equal(404);
    expect((await api.get(`/artifacts/${id}`, { as: 'bob' })).status).to.equal(404);
  });

  it('is for those who see the artifact', async () => {
    const { body } = await api.submit([api.titled('Case', 'case')], { tracker: 'case' });
    expect((await api.get(`/artifacts/${body.id}/history`)).status).to.equal(403);
    expect((await api.get('/artifacts/999999/history')).status).to.equal(404);
  });

  describe('shows the artifact as it was', () => {
    let id: number;
    before(async () => {
      id = await api.created();
      await api.changed(id, [api.titled('Second')]);
      await api.changed(id, [api.titled('Third')]);
    });

    it('at a revision, with the Etag of then', async () => {
      const { headers, body } = await api.get(`/artifacts/${id}?revision=1`);
      expect(body.title).to.equal('Second');
      expect(headers.get('etag')).to.equal('"1"');
      expect((await api.get(`/artifacts/${id}?revision=0`)).body.title).to.equal('Crash');
    });

    it('if it has the revision, or else names the missing one and the last one', async () => {
      const { status, body } = await api.get(`/artifacts/${id}?revision=99`);
      expect(status).to.equal(404);
      expect(body.error.message).to.equal('Not Found: The artifact has no revision 99; its last one is 2');
    });

    it('at an instant', async () => {
      const { body } = await api.get(`/artifacts/${id}/history`);
      const at = (instant: string) => api.get(`/artifacts/${id}?at=${encodeURIComponent(instant)}`);
      expect((await at(body[1].at)).headers.get('etag')).to.equal('"1"');
      expect((await at('2999-01-01T00:00:00+02:00')).body.title).to.equal('Third');
      expect((await at('2001-01-01T00:00:00Z')).status).to.equal(404);
      expect((await at('yesterday')).status).to.equal(400);
      expect((await api.get(`/artifacts/${id}?revision=1&at=2999-01-01T00:00:00Z`)).status).to.equal(400);
    });

    it('at each instant that an answer shows, which has no fractions of a second', async () => {
      const shown = await api.created();
      const { body } = await api.get(`/artifacts/${shown}`);
      const then = await api.get(`/artifacts/${shown}?at=${encodeURIComponent(body.submitted_on)}`);
      expect(then.body.title).to.equal('Crash');
    });

    it('for administrators also when it is deleted since', async () => {
      const gone = await api.created();
      await deleted(gone);
      expect((await api.get(`/artifacts/${gone}?revision=0`, { as: 'bob' })).body.title).to.equal('Crash');
      const end = await api.get(`/artifacts/${gone}?revision=1`, { as: 'bob' });
      expect(end.status).to.equal(404);
      expect(end.body.error.message).to.equal('Not Found: The artifact did not exist at that time');
      expect((await api.get(`/artifacts/${gone}?revision=0`, { as: 'carol' })).status).to.equal(404);
    });
  });
});
