import { expect } from 'chai';
import { type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { artifactJson, wholeJson } from '../../../src/artifacts/representation/artifact-json-cache.js';
import { type Representing } from '../../../src/artifacts/representation/reading.js';
import { onlyText, type Texts } from '../../../src/artifacts/representation/in-slices.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { runService, type RunningService } from '../../support/service.js';
import { turnsOf } from '../../support/turns.js';

/** In characters. */
const TURN = 256 * 1024;
const TEXTS = 16;
const CHARACTERS = 60_000;
const named = Array.from({ length: TEXTS }, (_, n) => `text${n}`);
/** Without the thread, whose answers take turns of their own. */
const texts: TextRendering = {
  htmlOf: () => Promise.resolve(({ text }) => text),
  close: () => Promise.resolve(),
};

describe('the JSON of a large artifact', () => {
  let api: RunningService;
  let reading: Representing;
  let id: number;
  before(async () => {
    const fields = named.map((name) => ({ name, label: name, type: 'text' }));
    const projects = [{ shortname: 'p', label: 'P', trackers: [{ item_name: 'item', label: 'Items', fields }] }];
    const user = { username: 'alice', real_name: 'Alice', email: 'a@example.org', password: "alice's password" };
    api = await runService({ platform: JSON.stringify({ users: [{ ...user, site_admin: true }], projects }) });
    const { definitions, readModels } = api.service;
    reading = { definitions, readModels, texts, viewer: viewer(definitions, definitions.userNamed('alice') ?? null) };
    const values = named.map((name) => {
      const text = { text: 'a'.repeat(CHARACTERS), format: 'text' as const };
      return [String(api.field('item', name)), text] as const;
    });
    [id = 0] = await plantedArtifacts(api, api.tracker('item'), [Object.fromEntries(values)]);
  });
  after(() => api.stop());

  it('leaves others their turn time and again while it is made', async () => {
    const artifact = await reading.readModels.get(artifactViews, id);
    const made = [
      (): Texts => wholeJson(reading)([artifact!]),
      (): Texts => artifactJson([artifact!], reading, { values: 'collection' }),
    ];
    for (const make of made) {
      const count = await turnsOf(() => onlyText(make()));
      expect(count).to.be.at.least(Math.floor((2 * TEXTS * CHARACTERS) / TURN / 2));
    }
  });
});
