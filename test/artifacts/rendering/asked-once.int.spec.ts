import { expect } from 'chai';
import { type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { client, type Client } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const PLATFORM = plainPlatform([{ name: 'description', label: 'Description', type: 'text' }]);

describe('texts of a page', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let reader: Client;
  let asked: string[];
  const ids: number[] = [];

  before(async () => {
    api = await artifactApi({ platform: PLATFORM });
    const { texts } = api.service;
    const htmlOf: TextRendering['htmlOf'] = (some, ...whom) => {
      asked.push(...some.map(({ text }) => text));
      return texts.htmlOf(some, ...whom);
    };
    listening = await serve({ ...api.serving, service: { ...api.service, texts: { ...texts, htmlOf } } });
    reader = client(`http://127.0.0.1:${listening.port}`);
    for (const content of ['*one*', '*two*', '*three*']) {
      ids.push(await api.created([api.set('description', { value: { content, format: 'commonmark' } })]));
    }
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });
  beforeEach(() => {
    asked = [];
  });

  const page = () => reader.get(`/trackers/${api.tracker('bug')}/artifacts?values=all`);

  it('are asked for once, and not again while they are remembered', async () => {
    expect(JSON.stringify((await page()).body)).to.include('<em>two</em>');
    expect(asked.toSorted()).to.deep.equal(['*one*', '*three*', '*two*']);
    await api.created([]);
    asked = [];
    expect(JSON.stringify((await page()).body)).to.include('<em>two</em>');
    expect(asked).to.deep.equal([]);
  });

  it('are asked for again where only a link to the artifact has come', async () => {
    await page();
    const source = await api.created([api.set('links', { links: [{ id: ids[1], type: '' }] })]);
    asked = [];
    expect(JSON.stringify((await page()).body))
      .to.include(`"reverse_links":[{"id":${source},`)
      .and.to.include('<em>two</em>');
    expect(asked).to.deep.equal(['*two*']);
  });
});
