import { expect } from 'chai';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { changeArtifact } from '../../src/artifacts/commands.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { viewer } from '../../src/authorization/viewer.js';
import { artifactPorts } from '../../src/composition/http-server.js';
import { artifactApi, type ArtifactApi, type Json } from './artifact-api.js';

describe('writers at the same time', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)));

  it('with one Etag: exactly one wins', async () => {
    const id = await api.created();
    const answers = await times(20, (index) =>
      api.change(id, [api.titled(`Title ${index}`)], { headers: { 'If-Match': '"0"' } }),
    );
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(winners).to.have.lengthOf(1);
    expect(answers.filter(({ status }) => status === 412)).to.have.lengthOf(19);
    const { headers, body } = await api.read(id);
    expect([headers.get('etag'), body.title]).to.deep.equal(['"1"', `Title ${winners[0]}`]);
  });

  it('without a precondition: all succeed, one after the other', async () => {
    const id = await api.created();
    const answers = await times(20, (index) => api.change(id, [api.titled(`Title ${index}`)]));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 200));
    const tags = answers.map(({ headers }) => headers.get('etag')).sort();
    expect(tags).to.deep.equal(Array.from({ length: 20 }, (_, index) => `"${index + 1}"`).sort());
    expect(await api.etag(id)).to.equal('"20"');
  });

  it('of different fields lose nothing of each other', async () => {
    const id = await api.created();
    await times(10, (index) =>
      api.changed(id, [
        index % 2 === 0 ? api.set('effort', { value: index }) : api.set('due', { value: '2024-03-05' }),
      ]),
    );
    expect((await api.shown(id, 'effort'))?.['value']).to.be.a('number');
    expect((await api.shown(id, 'due'))?.['value']).to.equal('2024-03-05T00:00:00+00:00');
  });

  it('who submit get an id each, and all see all', async () => {
    const list = `/trackers/${api.tracker('note')}/artifacts?limit=1000&values=all`;
    const ids = await times(50, (index) => api.created([api.titled(`Note ${index}`, 'note')], { tracker: 'note' }));
    expect(new Set(ids).size).to.equal(50);
    const { body, headers } = await api.get(list, { as: 'carol' });
    expect((body as Json[]).map(({ id }) => id)).to.deep.equal([...ids].sort((a, b) => a - b));
    expect(headers.get('x-pagination-size')).to.equal('50');
  });

  it('who submit are numbered without a gap', async () => {
    const before = await numbers();
    await times(20, () => api.created());
    const after = await numbers();
    expect(after).to.deep.equal(Array.from({ length: before.length + 20 }, (_, index) => index + 1));
  });

  const numbers = async (): Promise<readonly unknown[]> => {
    const { body } = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=1000&values=all`, { as: 'alice' });
    const values = (body as { values: Json[] }[]).map((artifact) =>
      artifact.values.find(({ type }) => type === 'atid'),
    );
    return values.map((element) => element?.['value']).sort((a, b) => Number(a) - Number(b));
  };

  it('who write what another process has just written are answered once the read models show it', async () => {
    const id = await api.created([api.titled('Before')]);
    const waits: string[] = [];
    const { service } = api;
    const readModels: ReadModels = {
      ...service.readModels,
      caughtUp: (projection, position, patienceMs) => {
        waits.push(`${projection} ${position}`);
        return service.readModels.caughtUp(projection, position, patienceMs);
      },
    };
    const written = { values: [api.titled('Before')] };
    const carol = viewer(service.definitions, service.definitions.userNamed('carol') ?? null);
    const { revision, position } = await changeArtifact(
      { artifactId: id, written, comment: undefined, precondition: () => true },
      { ...artifactPorts(service), readModels },
      { viewer: carol, requestId: 'same' },
    );
    expect([revision, position]).to.deep.equal([0, null]);
    const { events } = await service.log.read(artifactStream(id));
    expect(waits).to.deep.equal([`artifacts ${events[0]?.position}`]);
  });

  it('each see at once what they wrote', async () => {
    await times(10, async () => {
      const id = await api.created();
      for (let round = 1; round <= 3; round += 1) {
        const etag = await api.changed(id, [api.titled(`Round ${round}`)]);
        const { headers, body } = await api.read(id);
        expect([headers.get('etag'), body.title]).to.deep.equal([etag, `Round ${round}`]);
      }
    });
  });
});
