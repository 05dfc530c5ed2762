import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { renderingThread } from '../../../src/artifacts/rendering/rendering-thread.js';
import { textRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { serve } from '../../../src/composition/http-server.js';
import { client, type Client } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const RENDERING = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (texts) => parentPort.postMessage(texts.map(() => '<p>rendered</p>')));`;

interface Shown {
  readonly values: readonly { readonly type: string; readonly value: string; readonly commonmark: string }[];
}

const textIn = ({ values }: Shown) => values.find(({ type }) => type === 'text')!;

describe('A text that is escaped once', () => {
  let api: ArtifactApi;
  let id: number;
  let canStart: boolean;
  let reader: Client;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'description', label: 'D', type: 'text' }]) });
    canStart = false;
    const start = (): Worker => {
      if (!canStart) throw new Error('no memory');
      return new Worker(RENDERING, { eval: true });
    };
    const texts = textRendering(renderingThread(start, () => undefined));
    const listening = await serve({ ...api.serving, service: { ...api.service, texts } });
    reader = client(`http://127.0.0.1:${listening.port}`);
    stop = async () => {
      await listening.close(1000);
      await texts.close();
      await api.stop();
    };
    id = await api.created([api.set('description', { value: { content: '*a*', format: 'commonmark' } })]);
  });
  afterEach(() => stop());

  const read = (headers = {}) => reader.get(`/artifacts/${id}`, { as: 'alice', headers });
  const sendBack = (value: unknown) => reader.put(`/artifacts/${id}`, { as: 'alice', body: { values: [value] } });

  it('is rendered in the next answer, and its own is not confirmed', async () => {
    const escaped = await read();
    expect(textIn(escaped.body).value).to.equal('*a*');
    canStart = true;
    expect(textIn((await read()).body).value).to.equal('<p>rendered</p>');
    expect((await read({ 'If-None-Match': escaped.headers.get('etag') })).status).to.equal(200);
  });

  it('keeps its source when it is sent back', async () => {
    const escaped = textIn((await read()).body);
    canStart = true;
    expect((await sendBack(escaped)).status).to.equal(200);
    expect(textIn((await read()).body)).to.include({ commonmark: '*a*', value: '<p>rendered</p>' });
  });

  it('lets no rendered text be sent back, which could not be told from a new one', async () => {
    const escaped = textIn((await read()).body);
    const refused = await sendBack({ ...escaped, value: '<p>rendered</p>' });
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(textIn((await read()).body).commonmark).to.equal('*a*');
  });
});
