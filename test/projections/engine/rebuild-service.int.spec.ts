import { expect } from 'chai';
import { type RebuildResult } from '../../../projections/engine/rebuild.js';
import { runService, type RunningService } from '../../support/service.js';

describe('a rebuild of a whole service', () => {
  let service: RunningService;
  before(async () => {
    service = await runService();
  });
  after(() => service.stop());

  const submit = async (title: string): Promise<number> => {
    const values = [{ field_id: service.field('bug', 'title'), value: title }];
    const body = { tracker: { id: service.tracker('bug') }, values };
    const { status, body: made } = await service.post('/artifacts', { as: 'alice', body });
    expect(status).to.equal(201);
    return Number(made.id);
  };

  it('comes to what the log makes of every read model, and to what was served before', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await submit(`artifact ${n}`));
    const values = [{ field_id: service.field('bug', 'title'), value: 'changed' }];
    await service.put(`/artifacts/${ids[0]}`, { as: 'alice', body: { values } });
    await service.request('DELETE', `/artifacts/${ids[1]}`, { as: 'alice' });
    const results = (await service.operate('rebuild', { names: [] })) as readonly RebuildResult[];
    expect(results.map(({ projection }) => projection)).to.deep.equal(service.service.projections.names);
    for (const result of results) expect(result).to.deep.include({ outcome: 'served', differences: [] });
    expect((await service.get(`/artifacts/${ids[0]}`, { as: 'alice' })).status).to.equal(200);
    expect((await service.get(`/artifacts/${ids[1]}`, { as: 'alice' })).status).to.equal(404);
  });

  it('is done once for a name that is given twice', async () => {
    const results = (await service.operate('rebuild', { names: ['trackers', 'trackers'] })) as readonly RebuildResult[];
    expect(results.map(({ projection, outcome }) => [projection, outcome])).to.deep.equal([['trackers', 'served']]);
  });
});
