import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { storedBytes } from '../../../src/core/logs/bounded-log.js';
import { MAX_EVENT_BYTES, RESERVED_BYTES } from '../../../src/core/bounds.js';
import { trackerStream } from '../../../src/trackers/tracker-events.js';
import { TRACKERS } from '../../../src/trackers/tracker-view.js';
import { type Answer } from '../../support/client.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { plantedFiles } from '../../support/planted-files.js';
import { runService, type RunningService } from '../../support/service.js';
import { itKeepsTheLimits, typesSince, type Try } from './limits.js';

const TEXTS = 33;
/** More than a list and an artifact take. */
const MANY = 1001;
const FULL = 10_000;
/** Of a thousand items each. */
const LISTS = 9;

const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const bindStatic = (count: number) => ({ bind: 'static', values: numbered(count, (n) => ({ label: `v${n}` })) });
const field = (name: string, type: string, more: object = {}) => ({ name, label: name, type, ...more });

const PLATFORM = {
  users: [
    { username: 'alice', real_name: 'A', email: 'a@example.org', password: "alice's password", site_admin: true },
  ],
  projects: [
    {
      shortname: 'p',
      label: 'P',
      trackers: [
        {
          item_name: 'item',
          label: 'Items',
          fields: [
            field('line', 'string'),
            ...numbered(TEXTS, (n) => field(`t${n}`, 'text')),
            field('many', 'msb', bindStatic(MANY)),
            ...numbered(LISTS, (n) => field(`list${n}`, 'msb', bindStatic(1))),
            field('tags', 'tbl', bindStatic(MANY)),
            ...['full', 'few'].map((name) => field(name, 'tbl', bindStatic(2))),
            field('links', 'art_link'),
            field('files', 'file'),
          ],
        },
      ],
    },
  ],
};

describe('the limits of artifacts', () => {
  let api: RunningService;
  /** Each links to the target. */
  let pool: readonly number[];
  let target: number;
  let letters = 0;

  before(async () => {
    api = await runService({ platform: JSON.stringify(PLATFORM) });
    [target = 0] = await plantedArtifacts(api, api.tracker('item'), [{}]);
    const links = [{ id: target, type: '' }];
    pool = await plantedArtifacts(
      api,
      api.tracker('item'),
      numbered(MANY, () => ({ [id('links')]: links })),
    );
  });

  after(() => api.stop());

  const id = (name: string): number => api.field('item', name);
  const set = (name: string, parts: object) => ({ field_id: id(name), ...parts });
  const post = (body: object): Promise<Answer> =>
    api.post('/artifacts', { as: 'alice', body: { tracker: { id: api.tracker('item') }, ...body } });
  const put = (artifactId: number, values: readonly object[], more: object = {}): Promise<Answer> =>
    api.put(`/artifacts/${artifactId}`, { as: 'alice', body: { values, ...more } });
  const created = async (): Promise<number> => (await post({ values: [set('line', { value: 'a' })] })).body.id;
  /** So that it is another one than before. */
  const text = (size: number): string => {
    letters += 1;
    return String.fromCharCode(97 + (letters % 26)).repeat(size);
  };
  const writtenAs = (values: (size: number) => readonly object[]): readonly Try[] => [
    { route: 'POST', prepare: (size) => () => post({ values: values(size) }) },
    {
      route: 'PUT',
      prepare: async (size) => {
        const artifactId = await created();
        return () => put(artifactId, values(size));
      },
    },
  ];
  const byField = (name: string): Try => ({
    route: 'POST by field',
    prepare: (size) => () => post({ values_by_field: { [name]: { value: text(size) } } }),
  });
  const plain = (content: string) => ({ value: { content, format: 'text' } });
  /** Together of this length, over the texts from one to another, which is left out. */
  const texts = (from: number, to: number, length: number): readonly object[] => {
    const each = Math.floor(length / (to - from));
    return numbered(to - from, (n) => set(`t${from + n}`, plain(text(n > 0 ? each : length - each * (to - from - 1)))));
  };

  const chosen = (name: string, size: number) => {
    const values = api.service.definitions.tracker(api.tracker('item'))?.fieldNamed(name)?.values ?? [];
    return values.slice(0, size);
  };
  const linksTo = (size: number, more: object = {}) =>
    pool.slice(0, size).map((end) => ({ id: end, type: '', ...more }));

  const links: readonly Try[] = [
    ...writtenAs((size) => [set('links', { links: linksTo(size) })]),
    ...writtenAs((size) => [set('links', { all_links: linksTo(size, { direction: 'forward' }) })]).slice(1),
    {
      route: 'PUT at the other end',
      prepare: async (size) => {
        const held = linksTo(size - 1);
        const [source] = await plantedArtifacts(api, api.tracker('item'), [{ [id('links')]: held }]);
        const end = await created();
        return () => put(end, [set('links', { all_links: [{ id: source, type: '', direction: 'reverse' }] })]);
      },
    },
  ];

  const reverse: Try = {
    route: 'PUT',
    prepare: (size) => () => put(target, [set('links', { all_links: linksTo(size, { direction: 'reverse' }) })]),
  };

  const items: Try = {
    route: 'PUT',
    prepare: async (size) => {
      const list = numbered(1000, (n) => 90_000 + n);
      const held = Object.fromEntries(numbered(LISTS, (n) => [id(`list${n}`), list]));
      const [holder = 0] = await plantedArtifacts(api, api.tracker('item'), [held]);
      const tags = chosen('tags', 500).map(({ label }) => label);
      const more = chosen('many', size - LISTS * 1000 - 500).map((value) => value.id);
      return () => put(holder, [set('tags', { bind_value_ids: tags }), set('many', { bind_value_ids: more })]);
    },
  };

  const artifact: Try = {
    route: 'PUT',
    prepare: async (size) => {
      const { body } = await post({ values: texts(0, 15, 15 * 65_000) });
      await put(body.id, texts(15, 30, 15 * 65_000));
      const stored = (content: string) => ({ text: content, format: 'text' });
      const held = numbered(TEXTS, (n) => [String(id(`t${n}`)), stored(n < 30 ? 'x'.repeat(65_000) : '')] as const);
      const room = size - Buffer.byteLength(JSON.stringify(Object.fromEntries(held)));
      return () => put(body.id, texts(30, 33, room));
    },
  };

  /** Of the last event of an artifact, besides its texts. */
  const overhead = async (artifactId: number, length: number): Promise<number> => {
    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(artifactId));
    const [last] = events.slice(-1);
    return last === undefined ? 0 : storedBytes([last], last.metadata) - length;
  };
  const PROBE = 16 * 60_000;
  const event: readonly Try[] = [
    {
      route: 'POST',
      prepare: async (size) => {
        const { body } = await post({ values: texts(0, 16, PROBE) });
        const values = texts(0, 16, size - (await overhead(body.id, PROBE)));
        return () => post({ values });
      },
    },
    {
      route: 'PUT',
      prepare: async (size) => {
        const artifactId = await created();
        await put(artifactId, texts(0, 16, PROBE));
        const values = texts(0, 16, size - (await overhead(artifactId, PROBE)));
        return () => put(artifactId, values);
      },
    },
  ];

  /** So far beyond the bound, if all is counted. */
  const BEYOND = 10;

  it('leaves an Idempotency-Key unused and a list as it is where the event does not fit', async () => {
    const { body } = await post({ values: texts(0, 16, PROBE) });
    const room = MAX_EVENT_BYTES - (await overhead(body.id, PROBE));
    const headers = { 'Idempotency-Key': 'nearly' };
    const keyed = (values: readonly object[]): Promise<Answer> =>
      api.post('/artifacts', { as: 'alice', headers, body: { tracker: { id: api.tracker('item') }, values } });
    expect((await keyed(texts(0, 16, room - BEYOND))).status).to.equal(413);
    expect((await keyed(texts(0, 16, room - RESERVED_BYTES))).status).to.equal(201);

    const count = () => api.service.definitions.openValues(id('few')).length;
    const labelled = (size: number) => [
      ...texts(0, 16, size),
      set('few', { bind_value_ids: numbered(50, () => `nearly ${(letters += 1)}`) }),
    ];
    const artifactId = await created();
    expect((await put(artifactId, labelled(PROBE))).status).to.equal(200);
    const most = MAX_EVENT_BYTES - (await overhead(artifactId, PROBE));
    const before = count();
    expect((await put(artifactId, labelled(most + BEYOND))).status).to.equal(413);
    expect(count()).to.equal(before);
    expect((await put(artifactId, labelled(most - RESERVED_BYTES))).status).to.equal(200);
    expect(count()).to.equal(before + 50);
  });

  /** Defines as many labels as leave room for one. */
  const labelled = async (name: string, size: number): Promise<void> => {
    const trackerId = api.tracker('item');
    const { log, readModels, definitions } = api.service;
    const { revision, fields = [] } = definitions.tracker(trackerId)?.view ?? { revision: -1 };
    const values = numbered(size - 1, (n) => ({ id: 50_000 + n, label: `label ${n}`, color: '', hidden: false }));
    const changed = fields.map((one) => (one.name === name ? { ...one, values } : one));
    const event = { type: 'TrackerFieldsChanged', data: { trackerId, fields: changed }, id: randomUUID() };
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    const { position } = await log.append(trackerStream(trackerId), revision, [event], metadata);
    expect(await readModels.caughtUp(TRACKERS, position, 60_000)).to.equal(true);
  };
  const newLabel = () => [set('full', { bind_value_ids: [`new ${text(9)}`] })];
  const labels: readonly Try[] = [
    {
      route: 'POST',
      prepare: async (size) => {
        if (api.service.definitions.openValues(id('full')).length === 0) await labelled('full', size);
        return () => post({ values: newLabel() });
      },
    },
    {
      route: 'PUT of a label that is there, then of a new one',
      prepare: async (size) => {
        const artifactId = await created();
        const [known] = api.service.definitions.openValues(id('full'));
        const values = size === FULL ? [set('full', { bind_value_ids: [known?.label] })] : newLabel();
        return () => put(artifactId, values);
      },
    },
  ];

  let files: readonly number[] = [];
  const newFiles: Try = {
    route: 'PUT',
    prepare: async (size) => {
      if (files.length === 0) files = await plantedFiles(api, api.user('alice'), size + 1);
      const artifactId = await created();
      return () => put(artifactId, [set('files', { value: files.slice(0, size) })]);
    },
  };

  itKeepsTheLimits(
    'Artifacts',
    () => api,
    () => ({
      String: [...writtenAs((size) => [set('line', { value: text(size) })]), byField('line')],
      Text: [...writtenAs((size) => [set('t0', plain(text(size)))]), byField('t0')],
      Comment: [
        {
          route: 'PUT',
          prepare: async (size) => {
            const artifactId = await created();
            return () => put(artifactId, [], { comment: { body: text(size), format: 'text' } });
          },
        },
      ],
      List: [
        ...writtenAs((size) => [set('many', { bind_value_ids: chosen('many', size).map((value) => value.id) })]),
        ...writtenAs((size) => [set('tags', { bind_value_ids: chosen('tags', size).map(({ label }) => label) })]),
      ],
      Items: [items],
      Links: links,
      'Reverse links': [reverse],
      Artifact: [artifact],
      Event: event,
      Labels: labels,
      'New labels': writtenAs((size) => [set('few', { bind_value_ids: numbered(size, (n) => `${text(9)} ${n}`) })]),
      Label: writtenAs((size) => [set('few', { bind_value_ids: ['x'.repeat(size)] })]),
      'New files': [newFiles],
    }),
  );

  it('that refuse a write leave no label, no claim of a file and no used key behind', async () => {
    const attached = await plantedFiles(api, api.user('alice'), 1);
    const few = [set('few', { bind_value_ids: [`${text(9)} alone`] }), set('files', { value: attached })];
    const many = [...texts(0, 16, 16 * 65_000), ...few];
    const artifactId = await created();
    const headers = { 'Idempotency-Key': randomUUID() };
    const submit = (values: readonly object[]): Promise<Answer> =>
      api.post('/artifacts', { as: 'alice', headers, body: { tracker: { id: api.tracker('item') }, values } });

    const before = await api.service.log.end();
    expect([(await submit(many)).status, (await put(artifactId, many)).status]).to.deep.equal([413, 413]);
    expect(await typesSince(api, before)).to.deep.equal([]);
    expect((await submit(few)).status).to.equal(201);
  });
});
