import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('An artifact with two fields for links', () => {
  let api: ArtifactApi;
  before(async () => {
    const platform = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8').replace(
      '          - { name: links, label: Links, type: art_link }\n          - { name: attachments',
      '          - { name: links, label: Links, type: art_link }\n          - { name: more, label: More, type: art_link }\n          - { name: attachments',
    );
    api = await artifactApi({ platform });
  });
  after(() => api.stop());

  it('orders one link of a source that both fields name: the one that is named last', async () => {
    const [source, target] = [await api.created(), await api.created()];
    const from = (type: string) => ({ all_links: [{ id: source, direction: 'reverse', type }] });
    await api.changed(target, [api.set('links', from('_is_child')), api.set('more', from('fixed_in'))]);
    expect((await api.links(target)).reverse).to.deep.equal([`${source} fixed_in`]);
    const { events } = await api.service.log.read(artifactStream(source));
    expect(events).to.have.length(2);
    expect(new Set(events.map(({ id }) => id)).size).to.equal(2);
    const orders = (await api.service.log.read<ArtifactEvent>(artifactStream(target))).events.at(-1)?.data;
    expect(orders)
      .to.have.nested.property('reverseLinks.add')
      .that.deep.equals([{ source, type: 'fixed_in' }]);
  });
});
