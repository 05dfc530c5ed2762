import { expect } from 'chai';
import { eventually } from '../../e2e/servers/eventually.js';
import { holdReadModels } from '../../support/held-read-models.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

/** The file of the read models is what this spec holds. */
if ((process.env['TEST_STORES'] ?? '') === '')
  describe('Links that reading does not show yet', () => {
    let api: ArtifactApi;
    before(async () => {
      api = await artifactApi();
    });
    after(() => api.stop());

    it('are left by no request that takes all links to its artifact away', async () => {
      const [source, target] = [await api.created(), await api.created()];
      for (const id of [source, target]) {
        await eventually('the artifact', async () => (await api.read(id)).status === 200);
      }
      const noneToIt = api.set('links', { all_links: [] });
      const held = holdReadModels(api.directory);
      try {
        await api.changed(source, [api.set('links', { links: [{ id: target }] })]);
        const { status, headers } = await api.change(target, [noneToIt]);
        expect([status, Number(headers.get('Retry-After')) > 0]).to.deep.equal([503, true]);
      } finally {
        held.close();
      }
      await eventually('the change', async () => (await api.change(target, [noneToIt])).status === 200);
      expect(await api.links(target)).to.deep.equal({ forward: [], reverse: [] });
    });
  });
