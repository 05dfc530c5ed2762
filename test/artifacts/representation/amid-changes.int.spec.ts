import { expect } from 'chai';
import { serve } from '../../../src/composition/http-server.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { client } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

/** Only the embedded read models tell whether something has changed. */
const isEmbedded = (process.env['TEST_STORES'] ?? '') === '';

describe('an answer that was made while its parts changed', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  if (!isEmbedded) return;

  it('is not given again once a link is gone that came and went meanwhile', async () => {
    const [id, source] = [await api.created([], { tracker: 'note' }), await api.created([], { tracker: 'note' })];
    const link = async (...ids: readonly number[]): Promise<void> => {
      await api.changed(source, [api.set('links', { links: ids.map((end) => ({ id: end })) }, 'note')], {
        as: 'alice',
      });
    };
    const { service } = api;
    let asked = 0;
    const findIds: ReadModels['findIds'] = async (model, query) => {
      asked += 1;
      if (asked === 1) await link(id);
      return service.readModels.findIds(model, query);
    };
    let rendered = 0;
    const htmlOf: typeof service.texts.htmlOf = async (...texts) => {
      rendered += 1;
      // The first time, texts are rendered while links are read.
      if (rendered === 2) await link();
      return service.texts.htmlOf(...texts);
    };
    const slowed = { ...service, readModels: { ...service.readModels, findIds }, texts: { ...service.texts, htmlOf } };
    const slow = await serve({ ...api.serving, service: slowed });
    try {
      const reader = client(`http://127.0.0.1:${slow.port}`);
      const sourcesIn = async (): Promise<readonly number[]> => {
        const { body } = await reader.get(`/artifacts/${id}`, { as: 'bob' });
        const links = body.values.find(({ type }: { type: string }) => type === 'art_link');
        return links.reverse_links.map((end: { id: number }) => end.id);
      };
      expect(await sourcesIn()).to.deep.equal([source]);
      expect(await sourcesIn()).to.deep.equal([]);
    } finally {
      await slow.close(1000);
    }
  });
});
