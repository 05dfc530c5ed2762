import { expect } from 'chai';
import { DEMO_PASSWORD, DEMO_PLATFORM } from '../../src/demo/demo-platform.js';
import { runService, type RunningService } from '../support/service.js';

const AS_ALICE = { Authorization: `Basic ${Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64')}` };

describe('the demo platform', () => {
  let api: RunningService;
  before(async () => (api = await runService({ platform: DEMO_PLATFORM })));
  after(() => api.stop());

  it('takes the types of links that the documentation of Tuleap shows in its examples', async () => {
    const submit = async (links: readonly object[]) => {
      const values = [
        { field_id: api.field('story', 'title'), value: 'A new story' },
        { field_id: api.field('story', 'links'), links },
      ];
      const { status, body } = await api.post('/artifacts', {
        headers: AS_ALICE,
        body: { tracker: { id: api.tracker('story') }, values },
      });
      expect(status, JSON.stringify(body)).to.equal(201);
      return Number(body.id);
    };
    const [child, other] = [await submit([]), await submit([])];
    const id = await submit([
      { id: child, type: '_is_child' },
      { id: other, type: 'custom' },
    ]);
    const { body } = await api.get(`/artifacts/${id}/links`, { headers: AS_ALICE });
    expect(body.natures).to.deep.include({
      shortname: 'custom',
      direction: 'forward',
      label: 'Custom',
      uri: `artifacts/${id}/linked_artifacts?nature=custom&direction=forward`,
    });
  });
});
