import { expect } from 'chai';
import { once } from 'node:events';
import { type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { Problem } from '../../../src/core/problem.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { client, type Client } from '../../support/client.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { openBrackets } from './costly-texts.js';

/** In characters, of all texts that may wait. */
const MOST_WAITING = 16_777_216;
/** In characters: of a request that waits for less than an artifact of this spec does. */
const LESS = openBrackets.length / 2;

/** Each costs as much as a text may. */
const brackets = (nth: number, length = openBrackets.length) =>
  ({ text: `${nth} ${openBrackets}`.slice(0, length), format: 'commonmark' }) as const;

describe('texts that wait to be rendered', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let reader: Client;
  let htmlOf: TextRendering['htmlOf'];
  const ids: number[] = [];

  before(async () => {
    api = await artifactApi();
    const { texts } = api.service;
    const watched = { ...texts, htmlOf: (...asked: Parameters<typeof htmlOf>) => htmlOf(...asked) };
    listening = await serve({ ...api.serving, service: { ...api.service, texts: watched } });
    reader = client(`http://127.0.0.1:${listening.port}`);
    htmlOf = texts.htmlOf;
    for (let nth = 0; nth < 5; nth += 1) {
      const { text: content, format } = brackets(nth);
      ids.push(await api.created([api.set('description', { value: { content, format } })]));
    }
    const links = ids.map((id) => ({ id, type: '' }));
    ids.push(await api.created([api.set('links', { links })]));
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });
  beforeEach(() => {
    htmlOf = api.service.texts.htmlOf;
  });

  const page = (): string => `/trackers/${api.tracker('bug')}/artifacts?values=all`;

  for (const [what, path] of [
    ['a page of artifacts', page],
    ['an artifact', () => `/artifacts/${ids[0]}`],
    ['artifacts by their ids', () => `/artifacts?query=${encodeURIComponent(JSON.stringify({ id: ids }))}`],
    ['linked artifacts', () => `/artifacts/${ids.at(-1)}/linked_artifacts?direction=forward`],
    ['changesets', () => `/artifacts/${ids[0]}/changesets`],
  ] as const) {
    it(`are rendered no longer when the reader of ${what} has left`, async () => {
      const leaving = new AbortController();
      const refused = new Promise((resolve, reject) => {
        htmlOf = async (texts, whom) => {
          if (texts.length === 0) return api.service.texts.htmlOf(texts, whom);
          leaving.abort();
          if (whom.gone === undefined) reject(new Error('Nobody tells that the reader has left'));
          else if (!whom.gone.aborted) await once(whom.gone, 'abort');
          const html = api.service.texts.htmlOf(texts, whom);
          html.then(reject, resolve);
          return html;
        };
      });
      const answer = fetch(`${reader.url}/api${path()}`, { signal: leaving.signal }).catch((error: unknown) => error);
      expect(await refused)
        .to.be.instanceOf(Problem)
        .and.include({ kind: 'unavailable' });
      expect(await answer).to.include({ name: 'AbortError' });
    });
  }

  it('are refused, for some seconds and as a whole, where too many wait already', async () => {
    const { texts } = api.service;
    htmlOf = (asked, whom) => {
      for (let nth = 0; nth * LESS <= MOST_WAITING; nth += 1) {
        texts.htmlOf([brackets(10 + nth, LESS)], { reader: null }).catch(() => undefined);
      }
      return texts.htmlOf(asked, whom);
    };
    const refused = await reader.get(page());
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('5');
    expect(Object.keys(refused.body as object)).to.deep.equal(['error']);
  });
});
