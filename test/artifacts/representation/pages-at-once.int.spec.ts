import { expect } from 'chai';
import { endSlice, isWaitedFor, makeSlice, noteCaller } from '../../../src/core/logs/answer-slices.js';
import { isRoomWanted, MOST_WAITING_ANSWERS, noteHeld } from '../../../src/core/logs/long-texts.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { artifactViews, type ArtifactView } from '../../../src/artifacts/artifact-view.js';
import { client, type Client } from '../../support/client.js';
import { isHeld } from '../../support/garbage.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** Too long to be remembered by any store, and short enough to need no turn of its own. */
const TEXT = '\u0001漢漢'.repeat(43_650);

/** Takes all places, those of one caller after those of the other. Resolves to their number, and to what gives them up. */
async function takeAllPlaces(): Promise<{ readonly places: number; readonly giveUp: () => void }> {
  const signals: AbortSignal[] = [];
  const request = (): AbortSignal => {
    const { signal } = new AbortController();
    noteCaller(signal, `caller ${Math.floor(signals.length / 4)}`);
    return signal;
  };
  for (let next = request(); !isWaitedFor(new AbortController().signal); next = request()) {
    signals.push(next);
    void makeSlice(() => new Promise(() => undefined), next);
    await Promise.resolve();
  }
  const giveUp = (): void => {
    for (const signal of signals) endSlice(signal);
  };
  return { places: signals.length, giveUp };
}

describe('answers about artifacts, many at once', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let reader: Client;
  let ids: readonly number[];
  let read: WeakRef<ArtifactView>[] = [];
  let gets = 0;

  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'about', label: 'About', type: 'text' }]) });
    const text = { text: TEXT, format: 'text' as const };
    const values = { [String(api.field('bug', 'about'))]: text };
    ids = await plantedArtifacts(api, api.tracker('bug'), [values, values, values]);
    const { readModels } = api.service;
    const noting = <Found extends { readonly items: readonly object[] }>(found: Found): Found => {
      read.push(...found.items.map((item) => new WeakRef(item as ArtifactView)));
      return found;
    };
    const get: ReadModels['get'] = (model, ...asked) => {
      if (model.name === artifactViews.name) gets += 1;
      return readModels.get(model, ...asked);
    };
    const getSlice: ReadModels['getSlice'] = async (...asked) => noting(await readModels.getSlice(...asked));
    const findSlice: ReadModels['findSlice'] = async (...asked) => noting(await readModels.findSlice(...asked));
    listening = await serve({
      ...api.serving,
      service: { ...api.service, readModels: { ...readModels, get, getSlice, findSlice } },
    });
    reader = client(`http://127.0.0.1:${listening.port}`);
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });

  const report = async (): Promise<unknown> =>
    (await reader.get(`/trackers/${api.tracker('bug')}/tracker_reports`)).body[0]?.id;

  const pages = async (): Promise<Readonly<Record<string, string>>> => ({
    'of ids': `/artifacts?query=${encodeURIComponent(JSON.stringify({ id: ids }))}`,
    'of a tracker': `/trackers/${api.tracker('bug')}/artifacts`,
    'with all values': `/trackers/${api.tracker('bug')}/artifacts?values=all`,
    'of rows': `/tracker_reports/${await report()}/artifacts?values=all&output_format=flat_with_semicolon_string_array`,
  });

  it('hold no artifact of a page while they wait for their turn', async () => {
    for (const [what, path] of Object.entries(await pages())) {
      read = [];
      const { giveUp } = await takeAllPlaces();
      const answer = reader.get(path);
      // Each is as long as a slice. All ids are looked at before a page of them is known.
      const looked = what === 'of ids' ? ids.length : 1;
      while (read.length < looked) await new Promise(setImmediate);
      for (const one of [...read]) expect(await isHeld(one), what).to.equal(false);
      expect(read, what).to.have.length(looked);
      giveUp();
      const { status, body } = await answer;
      expect([status, (body.collection ?? body).length], what).to.deep.equal([200, 3]);
    }
  });

  it('do not read an artifact before its turn', async () => {
    const { giveUp } = await takeAllPlaces();
    const answer = reader.get(`/artifacts/${ids[0]}`);
    const other = await reader.get('/projects');
    expect([other.status, gets]).to.deep.equal([200, 0]);
    giveUp();
    expect([(await answer).status, gets]).to.deep.equal([200, 1]);
  });

  it('give up their turn before they wait for that of a long text', async () => {
    const free = await takeAllPlaces();
    free.giveUp();
    const long = { [String(api.field('bug', 'about'))]: { text: 'x'.repeat(300_000), format: 'text' as const } };
    const [id] = await plantedArtifacts(api, api.tracker('bug'), [long]);
    const untaken = [{}, {}, {}];
    for (const answer of untaken) noteHeld(answer, MOST_WAITING_ANSWERS * 524_288);
    const answer = reader.get(`/artifacts?query=${encodeURIComponent(JSON.stringify({ id: [id] }))}`);
    while (!isRoomWanted()) await new Promise(setImmediate);
    const beside = await takeAllPlaces();
    expect(beside.places).to.equal(free.places);
    beside.giveUp();
    for (const other of untaken) noteHeld(other, 0);
    expect((await answer).status).to.equal(200);
  });
});
