import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { MongoClient, type Document } from 'mongodb';
import { ARTIFACTS_CURRENT } from '../../src/composition/reporting/artifacts-current.js';
import { PROJECTION_IDS } from '../../src/composition/server-projections.js';
import { projectionDocuments } from '../../src/stores/mongodb/projection-documents.js';
import { documentsOf } from '../../src/stores/mongodb/read-models/documents.js';
import { definitionOf } from '../../src/stores/mongodb/read-models/views.js';
import { onStandIn } from '../support/mongodb/for-each-mongodb.js';
import { runService, type RunningService } from '../support/service.js';
import { fencedBlocks } from '../support/shell-blocks.js';
import { serverStores, type ServerStores } from '../support/stores.js';

const block = (label: string) => fencedBlocks('js').filter((one) => one.label === label);

/** Those of the documentation, in their order. */
const [OPEN = '', CYCLE = '', AGEING = '', WEEKS = '', LINKS = ''] = block('reporting').map(({ text }) => text);

const HYDRA_BUG = { project: 'hydra', tracker: 'bug' };
const STATES = [{ label: 'Open' }, { label: 'Done' }];
/** `time`: whether the hours of a date count. */
const yard = (time: boolean) => ({
  projects: [
    {
      shortname: 'yard',
      label: 'Yard',
      trackers: [
        {
          item_name: 'bug',
          label: 'Bugs of the yard',
          fields: [
            { name: 'state', label: 'State', type: 'msb', bind: 'static', values: STATES },
            { name: 'places', label: 'Places', type: 'cb', bind: 'static', values: [{ label: 'Here' }] },
            { name: 'points', label: 'Points', type: 'int' },
            { name: 'due', label: 'Due', type: 'date', time },
            { name: 'links', label: 'Links', type: 'art_link' },
          ],
          semantics: { status: { field: 'state', open: ['Open'] } },
        },
      ],
    },
  ],
});

onStandIn('mongo-java-server', 'reports', () => {
  let stores: ServerStores;
  let api: RunningService;
  let client: MongoClient;
  let made: Readonly<Record<'note' | 'first' | 'second' | 'third', number>>;

  before(async () => {
    stores = await serverStores('mongo-java-server');
    api = await runService({ env: { ...stores.env } });
    client = new MongoClient(stores.database.url);
    await api.signIn('alice');
    made = await fill();
  });

  after(async () => {
    await client.close();
    await api.stop();
    await stores.remove();
  });

  const field = (name: string, value: object) => ({ field_id: api.field('bug', name), ...value });
  const status = (label: string) => field('status_id', { bind_value_ids: [api.value('bug', 'status_id', label)] });
  const submit = async (tracker: string, ...values: readonly object[]): Promise<number> => {
    const { body } = await api.post('/artifacts', {
      as: 'alice',
      body: { tracker: { id: api.tracker(tracker) }, values },
    });
    expect(body, JSON.stringify(body)).to.have.property('id');
    return Number(body.id);
  };
  const change = async (id: number, ...values: readonly object[]): Promise<void> => {
    const answer = await api.put(`/artifacts/${id}`, { as: 'alice', body: { values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };

  const fill = async (): Promise<typeof made> => {
    const note = await submit('note', { field_id: api.field('note', 'title'), value: 'A note' });
    const first = await submit(
      'bug',
      field('title', { value: 'First' }),
      field('description', { value: { content: 'Some *text*', format: 'commonmark' } }),
      field('tags', { value: { bind_value_objects: [{ label: 'urgent' }, { label: 'odd' }] } }),
      field('severity', { bind_value_ids: [api.value('bug', 'severity', 'Major')] }),
      field('platforms', { bind_value_ids: ['Linux', 'macOS'].map((label) => api.value('bug', 'platforms', label)) }),
      field('points', { value: 3 }),
      field('due', { value: '2026-04-05' }),
      field('assigned_to', { bind_value_ids: [api.user('bob')] }),
      field('links', { links: [{ id: note, type: '' }] }),
    );
    const fixes = field('links', { links: [{ id: first, type: 'fixed_in' }] });
    const second = await submit('bug', field('title', { value: 'Second' }), fixes);
    await change(second, status('Open'));
    const third = await submit('bug', field('title', { value: 'Third' }));
    await change(third, status('Done'));
    const gone = await submit('bug', field('title', { value: 'Gone' }));
    expect((await api.request('DELETE', `/artifacts/${gone}`, { as: 'alice' })).status).to.equal(200);
    return { note, first, second, third };
  };

  const source = async () => {
    const db = client.db();
    const state = await projectionDocuments(db).findOne({ _id: PROJECTION_IDS.idOf('artifacts') });
    const { viewOn, pipeline } = definitionOf(ARTIFACTS_CURRENT, state!.serving!);
    return { artifacts: db.collection(viewOn), pipeline };
  };
  /** As the shell of MongoDB would on a server with views. */
  const run = async (text: string): Promise<readonly Document[]> => {
    const { artifacts, pipeline } = await source();
    const aggregate = (stages: readonly Document[]) => artifacts.aggregate([...pipeline, ...stages]).toArray();
    return runInNewContext(text, { db: { artifacts_current: { aggregate } } }) as Promise<readonly Document[]>;
  };
  const all = () => run('db.artifacts_current.aggregate([{ $sort: { _id: 1 } }])');

  /** As if it had been opened and closed then: the service has no other time than that of its requests. */
  const happened = async (id: number, submittedOn: string, closedOn: string | null): Promise<void> => {
    await (
      await source()
    ).artifacts.updateOne(
      { 'document.id': id },
      { $set: { 'document.submittedOn': submittedOn, 'document.closedOn': closedOn } },
    );
  };

  const expectAsInTheApi = async (row: Document): Promise<void> => {
    const { _id, title, tracker, project, status: label, open, openedOn, updatedOn } = row;
    const { body } = await api.get(`/artifacts/${_id}`, { as: 'alice' });
    expect({ title, tracker: tracker.label, project: project.label, status: label ?? '', open }).to.deep.equal({
      title: body.title,
      tracker: body.tracker.label,
      project: body.tracker.project.label,
      status: body.status,
      open: body.is_open,
    });
    const toSeconds = (instant: string | Date): number => Math.floor(new Date(instant).getTime() / 1000);
    expect([openedOn, updatedOn].map(toSeconds)).to.deep.equal(
      [body.submitted_on, body.last_modified_date].map(toSeconds),
    );
  };

  it('find all documents of all read models as BSON', async () => {
    const states = await projectionDocuments(client.db()).find().toArray();
    for (const { serving, runs } of states) {
      for (const model of runs[serving!]!.models) {
        const collection = documentsOf(client.db(), model, serving!);
        expect(await collection.countDocuments({ body: { $exists: true } }), model).to.equal(0);
      }
    }
  });

  it('show what the API does', async () => {
    const rows = await all();
    expect(rows.map(({ _id }) => Number(_id))).to.deep.equal([made.note, made.first, made.second, made.third]);
    for (const row of rows) await expectAsInTheApi(row);
  });

  it('show values by the names of their fields, with labels and dates', async () => {
    const [note, first] = await all();
    expect(note).to.deep.include({ status: null, open: true, closedOn: null, links: [], values: { title: 'A note' } });
    expect(first).to.deep.include({ status: 'New', open: true, links: [{ id: made.note, type: '' }] });
    expect(first?.['values']).to.deep.equal({
      title: 'First',
      description: 'Some *text*',
      status_id: 'New',
      assigned_to: [api.user('bob')],
      tags: ['urgent', 'odd'],
      severity: 'Major',
      platforms: ['Linux', 'macOS'],
      points: 3,
      due: new Date('2026-04-05'),
      remaining: null,
      links: [{ id: made.note, type: '' }],
    });
  });

  it('tell open artifacts by project and status', async () => {
    expect(await run(OPEN)).to.deep.equal([
      { _id: { project: 'hydra', status: null }, artifacts: 1 },
      { _id: { project: 'hydra', status: 'New' }, artifacts: 1 },
      { _id: { project: 'hydra', status: 'Open' }, artifacts: 1 },
    ]);
    const rows = await all();
    for (const { open, closedOn, updatedOn } of rows) expect(closedOn).to.deep.equal(open === true ? null : updatedOn);
    expect(rows.filter(({ open }) => open === true)).to.have.length(3);
  });

  it('tell cycle times by tracker', async () => {
    await happened(made.third, '2026-03-01T12:00:00.000Z', '2026-03-04T00:00:00.000Z');
    expect(await run(CYCLE)).to.deep.equal([{ _id: HYDRA_BUG, closed: 1, mean: 2.5, longest: 2.5 }]);
  });

  it('tell how old open artifacts are', async () => {
    const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();
    await happened(made.first, daysAgo(8), null);
    await happened(made.second, daysAgo(400), null);
    expect(await run(AGEING)).to.deep.equal([
      { _id: 0, artifacts: 1 },
      { _id: 7, artifacts: 1 },
      { _id: 365, artifacts: 1 },
    ]);
  });

  it('tell what was created and closed by week', async () => {
    await happened(made.note, '2021-06-10T12:00:00.000Z', null);
    await happened(made.first, '2021-06-13T23:59:59.999Z', null);
    await happened(made.second, '2021-06-14T00:00:00.000Z', null);
    await happened(made.third, '2021-06-07T00:00:00.000Z', '2021-06-15T00:00:00.000Z');
    expect(await run(WEEKS)).to.deep.equal([
      { _id: '2021-W23', created: 3, closed: 0 },
      { _id: '2021-W24', created: 1, closed: 1 },
    ]);
  });

  it('tell links between trackers', async () => {
    expect(await run(LINKS)).to.deep.equal([
      { _id: { from: HYDRA_BUG, to: HYDRA_BUG }, links: 1 },
      { _id: { from: HYDRA_BUG, to: { project: 'hydra', tracker: 'note' } }, links: 1 },
    ]);
  });

  describe('of a second project, with a tracker of the same name', () => {
    const YARD_BUG = { project: 'yard', tracker: 'bug' };
    let closed: number;
    let open: number;
    let linked: number;

    before(async () => {
      await api.operate('apply', { text: JSON.stringify(yard(true)), prune: false, env: {} });
      const { definitions } = api.service;
      const { id } = definitions.projects().find(({ shortname }) => shortname === 'yard')!;
      const [tracker] = definitions.trackersOf(id);
      const element = (name: string, value: object) => ({ field_id: tracker!.fieldNamed(name)!.id, ...value });
      const chosen = (name: string, ...labels: readonly string[]) => {
        const { values } = tracker!.fieldNamed(name)!;
        return element(name, { bind_value_ids: labels.map((label) => values!.find((v) => v.label === label)!.id) });
      };
      const states = (...labels: readonly string[]) => chosen('state', ...labels);
      const submitTo = async (...values: readonly object[]): Promise<number> => {
        const { body } = await api.post('/artifacts', { as: 'alice', body: { tracker: { id: tracker!.id }, values } });
        expect(body, JSON.stringify(body)).to.have.property('id');
        return Number(body.id);
      };
      closed = await submitTo(states('Done', 'Open'));
      open = await submitTo(states('Open', 'Done'), chosen('places', 'Here'), element('points', { value: 3 }));
      await change(open, chosen('places'), element('points', { value: null }), element('due', { value: null }));
      const gone = await submitTo(states('Done'));
      linked = await submitTo(
        states('Open'),
        element('due', { value: '2026-04-05T10:30Z' }),
        element('links', { links: [gone, made.first].map((to) => ({ id: to })) }),
      );
      expect((await api.request('DELETE', `/artifacts/${gone}`, { as: 'alice' })).status).to.equal(200);
    });

    it('show the first of several values as the status', async () => {
      const rows = (await all()).filter(({ project }) => project.name === 'yard');
      expect(rows.map(({ _id }) => Number(_id))).to.deep.equal([closed, open, linked]);
      for (const row of rows) await expectAsInTheApi(row);
      expect(rows.map(({ status: label }) => label as unknown)).to.deep.equal(['Done', 'Open', 'Open']);
      const [first] = rows;
      expect(first!['closedOn']).to.deep.equal(first!['openedOn']);
      expect(first!['values']).to.deep.equal({ state: ['Done', 'Open'] });
    });

    it('show emptied fields as null or empty lists', async () => {
      const row = (await all()).find(({ _id }) => _id === open);
      expect(row!['values']).to.deep.equal({ state: ['Open', 'Done'], places: [], points: null });
    });

    it('show a date with its time as long as the field has one', async () => {
      const due = async () => {
        const { values } = (await all()).find(({ _id }) => _id === linked)!;
        const { body } = await api.get(`/artifacts/${linked}`, { as: 'alice' });
        expect(values.due).to.deep.equal(
          new Date((body.values as readonly Document[]).find(({ label }) => label === 'Due')!['value']),
        );
        return values.due as unknown;
      };
      expect(await due()).to.deep.equal(new Date('2026-04-05T10:30Z'));
      await api.operate('apply', { text: JSON.stringify(yard(false)), prune: false, env: {} });
      const { log, readModels } = api.service;
      expect(await readModels.caughtUp('artifacts', (await log.end())!, 60_000)).to.equal(true);
      expect(await due()).to.deep.equal(new Date('2026-04-05'));
    });

    it('tell the trackers apart', async () => {
      await happened(made.third, '2026-03-01T12:00:00.000Z', '2026-03-04T00:00:00.000Z');
      await happened(closed, '2026-03-01T00:00:00.000Z', '2026-04-10T00:00:00.000Z');
      expect(await run(CYCLE)).to.deep.equal([
        { _id: HYDRA_BUG, closed: 1, mean: 2.5, longest: 2.5 },
        { _id: YARD_BUG, closed: 1, mean: 40, longest: 40 },
      ]);
    });

    it('count links to artifacts that are there, though those to others are shown', async () => {
      const rows = await run(LINKS);
      expect(rows.map(({ _id }) => _id as unknown)).to.deep.equal([
        { from: HYDRA_BUG, to: HYDRA_BUG },
        { from: HYDRA_BUG, to: { project: 'hydra', tracker: 'note' } },
        { from: YARD_BUG, to: HYDRA_BUG },
      ]);
      const shown = (await all()).find(({ _id }) => _id === linked);
      expect(shown?.['links']).to.have.length(2);
    });

    it('count an artifact that is newer than the clock of the reader as new', async () => {
      await happened(open, new Date(Date.now() + 60_000).toISOString(), null);
      const rows = await run(AGEING);
      const isOpen = (await all()).filter((row) => row['open'] === true);
      expect(rows.reduce((sum, { artifacts }) => sum + Number(artifacts), 0)).to.equal(isOpen.length);
    });
  });
});
