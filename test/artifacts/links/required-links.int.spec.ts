import { expect } from 'chai';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, refusal, type ArtifactApi, type Json } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const CHILD = '_is_child';

describe('a required field of links', () => {
  let api: ArtifactApi;
  let first: number;
  before(async () => {
    const optional = '"type":"art_link"';
    const more = [{ name: 'more', label: 'More', type: 'art_link' }];
    const platform = plainPlatform(more).replace(optional, `${optional},"required":true`);
    api = await artifactApi({ platform });
    [first = 0] = await plantedArtifacts(api, api.tracker('bug'), [{}]);
  });
  after(() => api.stop());

  const linked = (parts: Json) => [api.set('links', parts)];
  const reverse = (id: number, type = '') => ({ all_links: [{ id, direction: 'reverse', type }] });

  it('is satisfied by a submission with a link, a parent or an artifact that is to link to the new one', async () => {
    for (const [parts, shown] of [
      [{ links: [{ id: first }] }, { forward: [`${first}`], reverse: [] }],
      [{ parent: { id: first } }, { forward: [], reverse: [`${first} ${CHILD}`] }],
      [
        { links: [], parent: { id: first } },
        { forward: [], reverse: [`${first} ${CHILD}`] },
      ],
      [reverse(first), { forward: [], reverse: [`${first}`] }],
    ] as const) {
      expect(await api.links(await api.created(linked(parts))), JSON.stringify(parts)).to.deep.equal(shown);
    }
  });

  it('refuses a submission that names no other artifact', async () => {
    for (const member of ['links', 'all_links']) {
      const answer = await api.submit([api.titled('Crash'), ...linked({ [member]: [] })]);
      expect(refusal(answer)).to.deep.equal({ status: 400, pointers: [`/values/1/${member}`] });
    }
    expect(refusal(await api.submit([api.titled('Crash')])).status).to.equal(400);
  });

  it('gives its last link up if the change names an artifact that links to it, even one that does already', async () => {
    const id = await api.created(linked({ links: [{ id: first }], parent: { id: first } }));
    for (const parts of [{ links: [], parent: { id: first } }, reverse(first, CHILD)]) {
      await api.changed(id, linked({ links: [{ id: first }] }));
      await api.changed(id, linked(parts));
      expect(await api.links(id), JSON.stringify(parts)).to.deep.equal({ forward: [], reverse: [`${first} ${CHILD}`] });
    }
  });

  it('keeps its last link if the change names no other artifact', async () => {
    const id = await api.created(linked({ links: [{ id: first }] }));
    for (const member of ['links', 'all_links']) {
      const answer = await api.change(id, linked({ [member]: [] }));
      expect(refusal(answer)).to.deep.equal({ status: 400, pointers: [`/values/0/${member}`] });
    }
    expect(await api.links(id)).to.deep.equal({ forward: [`${first}`], reverse: [] });
  });

  it('keeps the last artifact that links to it if the change names no other', async () => {
    const id = await api.created(linked({ parent: { id: first } }));
    const answer = await api.change(id, linked({ all_links: [] }));
    expect(refusal(answer)).to.deep.equal({ status: 400, pointers: ['/values/0/all_links'] });
    expect(await api.links(id)).to.deep.equal({ forward: [], reverse: [`${first} ${CHILD}`] });
  });

  it('may lose one of several artifacts that link to it', async () => {
    const [other = 0] = await plantedArtifacts(api, api.tracker('bug'), [{}]);
    const id = await api.created(linked({ parent: { id: other } }));
    await api.changed(id, linked({ parent: { id: first } }));
    await api.changed(id, linked(reverse(first, CHILD)));
    expect(await api.links(id)).to.deep.equal({ forward: [], reverse: [`${first} ${CHILD}`] });
  });

  it('keeps an artifact that it names although another field lists no links', async () => {
    const id = await api.created(linked({ parent: { id: first } }));
    for (const parts of [reverse(first, CHILD), { links: [], parent: { id: first } }]) {
      const values = [...linked(parts), api.set('more', { all_links: [] })];
      expect(await api.changed(id, values), JSON.stringify(parts)).to.equal('"0"');
    }
    expect(await api.links(id)).to.deep.equal({ forward: [], reverse: [`${first} ${CHILD}`] });
  });

  it('takes an unchanged representation of an artifact that has only a parent', async () => {
    const id = await api.created(linked({ parent: { id: first } }));
    const { body } = await api.read(id);
    expect(await api.changed(id, body.values as readonly unknown[])).to.equal('"0"');
  });
});
