import { expect } from 'chai';
import { unseenApi, words, type UnseenApi } from './unseen-api.js';

const UNKNOWN = 999_999;

describe('fields that a client may not read', () => {
  let api: UnseenApi;
  before(async () => {
    api = await unseenApi();
  });
  after(() => api.stop());

  const unknownField = { field_id: UNKNOWN, value: 'x' };

  it('are unknown to writers: one answer, be the value right or wrong', async () => {
    const vault = api.field('item', 'vault');
    const id = await api.made([api.of('vault', { value: 'treasure' })]);
    const unknown = words(await api.change(id, [unknownField]), UNKNOWN);
    expect(unknown).to.match(/^400 .*Unknown field NAMED/);
    for (const value of ['treasure', 'wrong', '', null, 5, { content: 'x' }]) {
      expect(words(await api.change(id, [api.of('vault', { value })]), vault), JSON.stringify(value)).to.equal(unknown);
    }
    const submitted = words(await api.submit([unknownField], 'mem'), UNKNOWN);
    expect(words(await api.submit([api.of('vault', { value: 'treasure' })], 'mem'), vault)).to.equal(submitted);
    const byName = (name: string) =>
      api.post('/artifacts', {
        as: 'mem',
        body: { tracker: { id: api.tracker('item') }, values_by_field: { [name]: { value: 'x' } } },
      });
    expect(words(await byName('vault'), 'vault')).to.equal(words(await byName('nonesuch'), 'nonesuch'));
    expect(await api.etag(id)).to.equal('"0"');
  });

  it('can be written where their permissions say so, with one answer for every value', async () => {
    const answers = [];
    for (const value of ['as it is', 'another']) {
      const id = await api.made([api.of('drop', { value: 'as it is' })]);
      const { status, body, headers } = await api.change(id, [api.of('drop', { value })]);
      answers.push([status, body, headers.get('etag')]);
      const { body: history } = await api.get(`/artifacts/${id}/history`, { as: 'mem' });
      answers.push(history.length);
      const read = await api.get(`/artifacts/${id}`, { as: 'maker' });
      const field = read.body.values.find((element: { label: string }) => element.label === 'Drop');
      expect(field.value).to.equal(value);
    }
    expect(answers.slice(0, 2)).to.deep.equal(answers.slice(2));
    expect(answers[0]).to.deep.equal([200, undefined, '"1"']);
  });

  it('offer a writer no value that only those who read know to be held', async () => {
    const gone = api.value('item', 'pick', 'Gone');
    const holding = await api.made([api.of('pick', { bind_value_ids: [gone] })]);
    const other = await api.made([api.of('pick', { bind_value_ids: [api.value('item', 'pick', 'Kept')] })]);
    await api.operate('apply', { text: WITHOUT_GONE, prune: false, env: {} });
    const pick = (id: number, as: string) => api.change(id, [api.of('pick', { bind_value_ids: [gone] })], as);
    expect((await pick(holding, 'maker')).status).to.equal(200);
    const refused = words(await pick(other, 'mem'), gone);
    expect(refused).to.match(/^400 /);
    expect(words(await pick(holding, 'mem'), gone)).to.equal(refused);
  });

  it('tell neither label nor name nor values when a write is refused that may not read them', async () => {
    const id = await api.made([api.of('mode', { bind_value_ids: [api.value('item', 'mode', 'Calm')] })]);
    const refusals = [
      await api.change(id, [api.of('drop', { value: 7 })]),
      await api.submit([api.of('mode', { bind_value_ids: [UNKNOWN] })], 'mem'),
      await api.submit([api.of('mode', { bind_value_ids: [api.value('item', 'mode', 'Wild')] })], 'mem'),
      await api.submit([api.of('hint', { value: '' }, 'strict')], 'mem', 'strict'),
      await api.submit([api.of('ties', { links: [{ id: UNKNOWN }] }, 'covert')], 'mem', 'covert'),
    ];
    for (const { status, body } of refusals) {
      expect(status).to.equal(400);
      expect(JSON.stringify(body)).to.match(/Field \d+/);
      expect(JSON.stringify(body)).not.to.match(/drop|mode|calm|wild|hint|ties/i);
    }
  });

  it('take no update while a workflow governs them, with any value: only a submission takes a step', async () => {
    const [calm, wild] = ['Calm', 'Wild'].map((label) => api.value('item', 'mode', label));
    const mode = (...values: readonly unknown[]) => api.of('mode', { bind_value_ids: values });
    const unknown = words(await api.change(await api.made(), [unknownField]), UNKNOWN);
    for (const steps of [[], [calm], [calm, wild]]) {
      const id = await api.made();
      for (const step of steps) expect((await api.change(id, [mode(step)], 'maker')).status).to.equal(200);
      for (const wanted of [calm, wild, UNKNOWN, 100]) {
        const answer = words(await api.change(id, [mode(wanted)]), api.field('item', 'mode'));
        expect(answer, `${steps.length} steps, then ${wanted}`).to.equal(unknown);
      }
      expect(await api.etag(id)).to.equal(`"${steps.length}"`);
    }
    expect((await api.submit([mode(calm)], 'mem')).status).to.equal(201);
  });

  it('do not tell by their numbers how many labels users have added', async () => {
    const tags = (id: string) => api.of('tags', { value: { bind_value_objects: [{ id }] } });
    const id = await api.made([api.of('tags', { bind_value_ids: ['sunk'] })]);
    const [known, unknown] = [
      words(await api.change(id, [tags('o1')]), 'o1'),
      words(await api.change(id, [tags('o2')]), 'o2'),
    ];
    expect(known).to.match(/^400 /).and.to.equal(unknown);
    for (const label of ['sunk', 'swum']) {
      expect((await api.change(id, [api.of('tags', { bind_value_ids: [label] })])).status).to.equal(200);
    }
    expect(api.service.definitions.openValues(api.field('item', 'tags'))).to.have.length(2);
  });

  it('are not required of who may not read them, and not told to them', async () => {
    const { status, body } = await api.submit([], 'mem', 'strict');
    expect(status, JSON.stringify(body)).to.equal(201);
    expect((await api.submit([], 'maker', 'strict')).status).to.equal(400);
    const missing = await api.post('/artifacts', {
      as: 'mem',
      body: { tracker: { id: api.tracker('strict') }, values: [api.of('title', { value: '' }, 'strict')] },
    });
    expect([missing.status, JSON.stringify(missing.body).includes('Must')]).to.deep.equal([400, false]);
    expect(JSON.stringify(missing.body)).to.include('Title');
  });

  it('mean nothing: no status, and an artifact is open as one without such a field is', async () => {
    const id = await api.made([api.of('mode', { bind_value_ids: [api.value('item', 'mode', 'Calm')] })]);
    await api.change(id, [api.of('mode', { bind_value_ids: [api.value('item', 'mode', 'Wild')] })], 'maker');
    const { body } = await api.get(`/artifacts/${id}`, { as: 'mem' });
    expect(body).to.deep.include({ status: '', full_status: null, is_open: true });
    expect((await api.get(`/artifacts/${id}`, { as: 'maker' })).body).to.include({ status: 'Wild', is_open: false });
  });

  it('take no announcement of a file, as fields that do not exist', async () => {
    const announce = async (field: number) => {
      const body = { name: 'a.txt', file_size: 5, file_type: 'text/plain' };
      return words(await api.post(`/tracker_fields/${field}/files`, { as: 'mem', body }), field);
    };
    const unknown = await announce(UNKNOWN);
    expect(unknown).to.match(/^404 /);
    for (const name of ['vault', 'cellar', 'mode'])
      expect(await announce(api.field('item', name)), name).to.equal(unknown);
    expect(await announce(api.field('item', 'files'))).to.match(/^200 /);
  });

  it('hide the files that they hold from who names them in a write', async () => {
    const file = await upload('maker');
    await api.made([api.of('cellar', { value: [file] })]);
    const id = await api.made();
    const attach = async (named: number) => words(await api.change(id, [api.of('files', { value: [named] })]), named);
    const unknown = await attach(UNKNOWN);
    expect(unknown).to.match(/^400 /);
    expect(await attach(file)).to.equal(unknown);
  });

  it('do not tell an owner that a file is attached to an artifact out of sight', async () => {
    const file = await upload('mem');
    const { body } = await api.submit([api.of('files', { value: [file] })], 'mem');
    const admins = `${api.service.definitions.projectNamed('open')!.id}_4`;
    await api.change(body.id, [api.of('readers', { value: { granted_groups: [admins] } })], 'maker');
    expect((await api.get(`/artifacts/${body.id}`, { as: 'mem' })).status).to.equal(403);
    const attach = async (named: number) =>
      words(await api.submit([api.of('files', { value: [named] })], 'mem'), named);
    const unknown = await attach(UNKNOWN);
    expect(unknown).to.match(/^400 /);
    expect(await attach(file)).to.equal(unknown);
  });

  const upload = async (as: string): Promise<number> => {
    const content = Buffer.from('bytes').toString('base64');
    const body = { name: 'a.txt', mimetype: 'text/plain', content };
    return (await api.post('/artifact_temporary_files', { as, body })).body.id;
  };
});

/** What a list leaves out is hidden: it stays where it is held, and is offered to nobody. */
const WITHOUT_GONE = `
projects:
  - shortname: open
    label: Open
    trackers:
      - item_name: item
        label: Items
        fields: [{ name: pick, label: Pick, type: sb, values: [{ label: Kept }] }]
`;

describe('projects and trackers out of reach', () => {
  let api: UnseenApi;
  before(async () => {
    api = await unseenApi();
  });
  after(() => api.stop());

  it('are unknown where a body names them', async () => {
    const submit = (id: number) => api.post('/artifacts', { as: 'mem', body: { tracker: { id }, values: [{}] } });
    const hidden = api.tracker('case');
    expect(words(await submit(hidden), hidden)).to.equal(words(await submit(UNKNOWN), UNKNOWN));
    const create = (id: number) => api.post('/svn', { as: 'mem', body: { project_id: id, name: 'repo' } });
    const closed = api.service.definitions.projectNamed('closed')!;
    expect(words(await create(closed.id), closed.id)).to.equal(words(await create(UNKNOWN), UNKNOWN));
  });

  it('have user groups that only their readers can name', async () => {
    const { id: open } = api.service.definitions.projectNamed('open')!;
    const closed = api.service.definitions.projectNamed('closed')!;
    const notify = (group: string) => {
      const settings = { email_notifications: [{ path: '/', emails: [], users: [], user_groups: [group] }] };
      return api.post('/svn', { as: 'mem', body: { project_id: open, name: 'repo', settings } });
    };
    const unknown = words(await notify(String(UNKNOWN)), UNKNOWN);
    for (const group of [`${closed.id}_3`, String(closed.groups[0]!.id)]) {
      expect(words(await notify(group), group), group).to.equal(unknown);
    }
  });

  it('show nothing more of a first answer when it is given again', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const body = { tracker: { id: api.tracker('item') }, values: [api.of('title', { value: 'a' })] };
    const first = await api.post('/artifacts', { as: 'mem', body, headers });
    expect(first.status).to.equal(201);
    await api.operate('apply', { text: CLOSED, prune: false, env: {} });
    const again = await api.post('/artifacts', { as: 'mem', body, headers });
    const unknown = await api.post('/artifacts', { as: 'mem', body: { ...body, tracker: { id: UNKNOWN } } });
    expect(words(again, '')).to.equal(words(unknown, ''));
  });
});

const CLOSED = 'projects: [{ shortname: open, label: Open, access: private, admins: [maker], members: [] }]';
