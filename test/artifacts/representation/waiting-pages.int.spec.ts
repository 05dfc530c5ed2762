import { expect } from 'chai';
import { type ReadModels } from '../../../src/core/read-models.js';
import { isRoomWanted, MOST_WAITING_ANSWERS, noteHeld } from '../../../src/core/logs/long-texts.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { artifactViews, type ArtifactView } from '../../../src/artifacts/artifact-view.js';
import { client, type Client } from '../../support/client.js';
import { isHeld } from '../../support/garbage.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** In characters: shown as it is written, and as HTML. */
const LONG = 300_000;
const ARTIFACTS = 4;
const READERS = 20;
/** In characters: more than a process holds while it makes a long text. */
const TOO_MUCH = MOST_WAITING_ANSWERS * 524_288;

describe('an answer about long artifacts', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let reader: Client;
  let ids: readonly number[];
  let source: number;
  let read: WeakRef<ArtifactView>[] = [];
  /** A page was looked for, or found. */
  const looks: string[] = [];

  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'about', label: 'About', type: 'text' }]) });
    const text = { text: 'x'.repeat(LONG), format: 'text' as const };
    const values = { [String(api.field('bug', 'about'))]: text };
    ids = await plantedArtifacts(api, api.tracker('bug'), Array<typeof values>(ARTIFACTS).fill(values));
    const links = { [String(api.field('bug', 'links'))]: ids.map((id) => ({ id, type: '' })) };
    [source = 0] = await plantedArtifacts(api, api.tracker('bug'), [{ ...values, ...links }]);
    const { readModels } = api.service;
    const noting = <Found extends { readonly items: readonly object[] }>(found: Found): Found => {
      read.push(...found.items.map((item) => new WeakRef(item as ArtifactView)));
      return found;
    };
    const get: ReadModels['get'] = async (model, ...asked) => {
      const found = await readModels.get(model, ...asked);
      if (found !== null && model.name === artifactViews.name) noting({ items: [found] });
      return found;
    };
    const getSlice: ReadModels['getSlice'] = async (...asked) => noting(await readModels.getSlice(...asked));
    const findSlice: ReadModels['findSlice'] = async (...asked) => {
      looks.push('look');
      const found = await readModels.findSlice(...asked);
      looks.push('found');
      return noting(found);
    };
    const service = { ...api.service, readModels: { ...readModels, get, getSlice, findSlice } };
    listening = await serve({ ...api.serving, service });
    reader = client(`http://127.0.0.1:${listening.port}`);
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });

  const answers = (): Readonly<Record<string, string>> => ({
    'of one': `/artifacts/${ids[0]}`,
    'of what one is linked with': `/artifacts/${source}/linked_artifacts?direction=forward&nature=`,
    'of ids': `/artifacts?query=${encodeURIComponent(JSON.stringify({ id: ids }))}`,
    'of a tracker': `/trackers/${api.tracker('bug')}/artifacts?values=all`,
  });

  it('holds none of them while it waits for its turn', async () => {
    for (const [what, path] of Object.entries(answers())) {
      read = [];
      const untaken = [{}, {}, {}];
      for (const answer of untaken) noteHeld(answer, TOO_MUCH);
      const answer = reader.get(path);
      while (!isRoomWanted()) await new Promise(setImmediate);
      expect(read, what).not.to.have.length(0);
      for (const one of read) expect(await isHeld(one), what).to.equal(false);
      for (const other of untaken) noteHeld(other, 0);
      expect((await answer).status, what).to.equal(200);
    }
  });

  // Servers are asked by all of them, and answer when they are ready.
  if ((process.env['TEST_STORES'] ?? '') === '') {
    it('that is a page is read by one after the other of those who asked for it at once', async () => {
      looks.length = 0;
      const path = answers()['of a tracker'] ?? '';
      const given = await Promise.all(Array.from({ length: READERS }, () => reader.get(path)));
      expect(given.filter(({ status }) => status === 200)).not.to.have.length(0);
      expect(looks.join(' ')).to.match(/^(look found ?)+$/);
    });
  }
});
