import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { trackerStream } from '../../src/trackers/tracker-events.js';
import { TRACKERS } from '../../src/trackers/tracker-view.js';
import { type Answer } from '../support/client.js';
import { plantedArtifacts } from '../support/planted-artifacts.js';
import { runService, type RunningService } from '../support/service.js';

/** SQLite holds documents of any size. */
const isOnMongoDb = (process.env['TEST_STORES'] ?? '') !== '';

const LINES = 10;
const VALUES = 1200;
const LARGE = 900_000;

const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const PLATFORM = {
  users: [
    { username: 'alice', real_name: 'A', email: 'a@example.org', password: "alice's password", site_admin: true },
    { username: 'bob', real_name: 'B', email: 'b@example.org', password: "bob's password" },
  ],
  projects: [
    {
      shortname: 'p',
      label: 'P',
      admins: ['alice'],
      trackers: [
        {
          item_name: 'item',
          label: 'Items',
          fields: [
            {
              ...{ name: 'about', label: 'About', type: 'text' },
              permissions: { read: ['project_admins'], submit: ['project_admins'], update: ['project_admins'] },
            },
            ...numbered(LINES, (n) => ({ name: `line${n}`, label: `Line ${n}`, type: 'string' })),
            {
              ...{ name: 'many', label: 'Many', type: 'msb', bind: 'static' },
              values: numbered(VALUES, (n) => ({ label: `v${n}` })),
            },
          ],
        },
      ],
    },
  ],
};

describe('an artifact of an older log, larger than the bounds allow', () => {
  let api: RunningService;

  before(async () => {
    api = await runService({ platform: JSON.stringify(PLATFORM) });
  });

  after(() => api.stop());

  const id = (name: string): number => api.field('item', name);
  const planted = async (values: FieldValues): Promise<number> => {
    const [made = 0] = await plantedArtifacts(api, api.tracker('item'), [values]);
    return made;
  };
  const put = (artifactId: number, ...values: readonly object[]): Promise<Answer> =>
    api.put(`/artifacts/${artifactId}`, { as: 'alice', body: { values } });
  const line = (n: number, length: number) => ({ field_id: id(`line${n}`), value: 'y'.repeat(length) });
  const read = (artifactId: number): Promise<Answer> => api.get(`/artifacts/${artifactId}`, { as: 'alice' });
  const shown = async (artifactId: number, name: string) => {
    const { body } = await read(artifactId);
    return body.values.find((value: { field_id: number }) => value.field_id === id(name));
  };
  /** In events of their own, as an older release took them one by one. */
  const grown = async (artifactId: number, lines: number): Promise<void> => {
    const { log, readModels } = api.service;
    const stream = artifactStream(artifactId);
    for (let n = 1; n < lines; n += 1) {
      const { revision } = await log.read(stream);
      const values = { [id(`line${n}`)]: 'x'.repeat(LARGE) };
      const data = { artifactId, trackerId: api.tracker('item'), values };
      const event = { type: 'ArtifactValuesChanged', data, id: randomUUID() };
      const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
      const { position } = await log.append(stream, revision, [event], metadata);
      expect(await readModels.caughtUp(ARTIFACTS, position, 60_000)).to.equal(true);
    }
  };

  it('is read whole, changed where it is not too large, and its values may shrink', async () => {
    const artifactId = await planted({ [id('line0')]: 'x'.repeat(LARGE) });
    expect((await shown(artifactId, 'line0')).value).to.have.length(LARGE);
    expect((await put(artifactId, line(1, 10))).headers.get('etag')).to.equal('"1"');
    expect((await put(artifactId, line(0, LARGE + 1))).status).to.equal(400);
    expect((await put(artifactId, line(0, LARGE - 1))).headers.get('etag')).to.equal('"2"');
    expect((await put(artifactId, line(0, LARGE - 1))).headers.get('etag')).to.equal('"2"');
    expect((await put(artifactId, line(0, LARGE))).status).to.equal(400);
    expect((await shown(artifactId, 'line0')).value).to.have.length(LARGE - 1);
  });

  it('has lists that may lose items, and gain none', async () => {
    const values = api.service.definitions.tracker(api.tracker('item'))?.fieldNamed('many')?.values ?? [];
    const ids = values.map((value) => value.id);
    const artifactId = await planted({ [id('many')]: ids.slice(0, 1100) });
    const many = (count: number) => put(artifactId, { field_id: id('many'), bind_value_ids: ids.slice(0, count) });
    expect((await shown(artifactId, 'many')).bind_value_ids).to.have.length(1100);
    expect((await many(1101)).status).to.equal(400);
    expect((await many(1099)).status).to.equal(200);
    expect((await many(1100)).status).to.equal(400);
  });

  it('may shrink as a whole, and not grow', async () => {
    const artifactId = await planted({ [id('line0')]: 'x'.repeat(LARGE) });
    await grown(artifactId, 3);
    expect((await put(artifactId, line(3, 10))).status).to.equal(413);
    expect((await put(artifactId, line(0, LARGE - 100), line(3, 10))).status).to.equal(200);
    expect((await put(artifactId, line(0, 0), line(4, 10))).status).to.equal(200);
    expect((await shown(artifactId, 'line4')).value).to.equal('y'.repeat(10));
  });

  it('is submitted with a default of that log by users with and without the right to write the field', async () => {
    const trackerId = api.tracker('item');
    const { log, readModels, definitions } = api.service;
    const { revision, fields = [] } = definitions.tracker(trackerId)?.view ?? { revision: -1 };
    const long = { text: 'é'.repeat(40_000), format: 'text' };
    const changed = fields.map((field) => (field.name === 'about' ? { ...field, default: long } : field));
    const event = { type: 'TrackerFieldsChanged', data: { trackerId, fields: changed }, id: randomUUID() };
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    const { position } = await log.append(trackerStream(trackerId), revision, [event], metadata);
    expect(await readModels.caughtUp(TRACKERS, position, 60_000)).to.equal(true);

    const submit = (as: string, ...values: readonly object[]): Promise<Answer> =>
      api.post('/artifacts', { as, body: { tracker: { id: trackerId }, values } });
    const made = [await submit('alice', line(0, 5)), await submit('bob', line(0, 5))];
    expect(made.map(({ status }) => status)).to.deep.equal([201, 201]);
    for (const { body } of made) expect((await shown(body.id, 'about')).value).to.equal(long.text);
    const about = (length: number) => ({
      field_id: id('about'),
      value: { content: 'é'.repeat(length), format: 'text' },
    });
    expect((await submit('alice', about(32_767))).status).to.equal(201);
    expect((await submit('alice', about(32_768))).status).to.equal(400);
    expect((await submit('alice', line(0, 70_000))).status).to.equal(400);
  });

  it('does not block other artifacts if its store cannot hold it', async () => {
    const artifactId = await planted({ [id('line0')]: 'x'.repeat(LARGE) });
    await grown(artifactId, LINES);
    const { body } = await api.post('/artifacts', {
      as: 'alice',
      body: { tracker: { id: api.tracker('item') }, values: [line(0, 5)] },
    });
    expect((await read(body.id)).status).to.equal(200);
    expect((await read(artifactId)).status).to.equal(isOnMongoDb ? 503 : 200);
  });
});
