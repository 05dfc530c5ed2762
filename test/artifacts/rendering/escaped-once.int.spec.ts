import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { renderingThread } from '../../../src/artifacts/rendering/rendering-thread.js';
import { textRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { serve } from '../../../src/composition/http-server.js';
import { client, type Client } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** Ends the thread. */
const COSTLY = '*costly*';
const RENDERING = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (texts) => {
    if (texts.some(({ text }) => text === '${COSTLY}')) process.exit(1);
    parentPort.postMessage(texts.map(() => '<p>rendered</p>'));
  });`;

interface Shown {
  readonly values: readonly {
    readonly type: string;
    readonly value: string;
    readonly format: string;
    readonly commonmark?: string | null;
  }[];
}

const textIn = ({ values }: Shown) => values.find(({ type }) => type === 'text')!;

describe('A text that is escaped once', () => {
  let api: ArtifactApi;
  let id: number;
  let canStart: boolean;
  let reader: Client;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    api = await artifactApi({
      platform: plainPlatform(['description', 'other'].map((name) => ({ name, label: name, type: 'text' }))).replace(
        '"semantics":{"title":"title"}',
        '"semantics":{"title":"description"}',
      ),
    });
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
  const sendBack = (...values: unknown[]) => reader.put(`/artifacts/${id}`, { as: 'alice', body: { values } });

  it('is rendered in the next answer, and its own is not confirmed', async () => {
    const escaped = await read();
    expect(textIn(escaped.body).value).to.equal('*a*');
    canStart = true;
    const rendered = await read({ 'If-None-Match': escaped.headers.get('etag') });
    expect([rendered.status, textIn(rendered.body).value]).to.deep.equal([200, '<p>rendered</p>']);
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

  it('does not keep another text of the same artifact from being edited', async () => {
    const shown = textIn((await read()).body);
    canStart = true;
    const costly = { field_id: api.field('bug', 'other'), value: { content: COSTLY, format: 'commonmark' } };
    const changed = { ...shown, value: '<p>edited</p>' };
    expect((await sendBack(costly)).status).to.equal(200);
    const sent = { field_id: api.field('bug', 'other'), value: COSTLY, format: 'html', commonmark: COSTLY };
    expect((await sendBack(sent, changed)).status).to.equal(200);
    const texts = (await read()).body.values.filter(({ type }: { type: string }) => type === 'text');
    expect(texts.map(({ value, commonmark = null }: Shown['values'][0]) => [value, commonmark])).to.deep.equal([
      ['<p>edited</p>', null],
      [COSTLY, COSTLY],
    ]);
  });

  it('cannot be told from an edit unless a text was escaped: the edit is stored', async () => {
    canStart = true;
    expect((await sendBack({ ...textIn((await read()).body), value: '*a*' })).status).to.equal(200);
    expect(textIn((await read()).body))
      .to.include({ value: '*a*', format: 'html' })
      .and.not.have.property('commonmark');
  });

  it('is rendered in the next answer where it is no title', async () => {
    const other = await api.created([api.set('other', { value: { content: '*b*', format: 'commonmark' } })]);
    const last = async () =>
      (await reader.get(`/artifacts/${other}`, { as: 'alice' })).body.values.findLast(
        ({ type }: { type: string }) => type === 'text',
      ).value;
    expect(await last()).to.equal('*b*');
    canStart = true;
    expect(await last()).to.equal('<p>rendered</p>');
  });

  it('is rendered in the next list that shows it as a title', async () => {
    const list = () => reader.get(`/trackers/${api.tracker('bug')}/artifacts`, { as: 'alice' });
    expect((await list()).body[0].title).to.equal('*a*');
    canStart = true;
    expect((await list()).body[0].title).to.equal('rendered');
  });
});
