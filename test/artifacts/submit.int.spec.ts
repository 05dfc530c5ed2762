import { expect } from 'chai';
import { artifactApi, refusal, type ArtifactApi, type Json } from './artifact-api.js';

describe('submitting an artifact', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const post = (body: unknown, as: string | undefined = 'carol') => api.post('/artifacts', { ...(as && { as }), body });
  const inBugs = (more: object) => ({ tracker: { id: api.tracker('bug') }, ...more });

  it('answers with a reference, its place and its validators', async () => {
    const { status, headers, body } = await api.submit([api.titled('Crash')]);
    expect(status).to.equal(201);
    const tracker = api.tracker('bug');
    expect(body).to.deep.equal({
      id: body.id,
      uri: `artifacts/${body.id}`,
      tracker: {
        id: tracker,
        uri: `trackers/${tracker}`,
        label: 'Bugs',
        color: 'fiesta-red',
        project: { id: 101, uri: 'projects/101', label: 'Hydra', icon: '' },
      },
    });
    expect(headers.get('location')).to.equal(`${api.url}/api/artifacts/${body.id}`);
    expect(headers.get('etag')).to.equal('"0"');
    expect(headers.get('last-modified')).to.match(/GMT$/);
    expect(headers.get('allow')).to.equal('OPTIONS, GET, POST');
  });

  it('places the artifact under the prefix that the request used', async () => {
    const { headers, body } = await api.post('/v1/artifacts', {
      as: 'carol',
      body: inBugs({ values: [api.titled('Crash')] }),
    });
    expect(headers.get('location')).to.equal(`${api.url}/api/v1/artifacts/${body.id}`);
  });

  it('takes values by the names of plain fields, and refers to the artifact in that form', async () => {
    const values = { title: { value: 'By name' }, effort: { value: 2.5 }, description: { value: 'long' } };
    const { status, headers, body } = await post(inBugs({ values_by_field: values }));
    expect(status).to.equal(201);
    expect(body.uri).to.equal(`artifacts/${body.id}?values_format=by_field`);
    expect(headers.get('location')).to.equal(`${api.url}/api/artifacts/${body.id}`);
    expect((await api.shown(body.id, 'effort'))?.['value']).to.equal(2.5);
    const byField = await api.get(`/${body.uri}`, { as: 'carol' });
    expect(byField.body.values_by_field.title.value).to.equal('By name');
    expect(byField.body.values_by_field.points).to.equal(null);
  });

  it('refuses by name what is no plain field, no field at all, or no object', async () => {
    const by = async (values: unknown) => refusal(await post(inBugs({ values_by_field: values })));
    expect(await by({ title: { value: 'a' }, status_id: { value: 1 } })).to.deep.equal({
      status: 400,
      pointers: ['/values_by_field/status_id'],
    });
    expect((await by({ nothing: { value: 1 } })).pointers).to.deep.equal(['/values_by_field/nothing']);
    expect((await by({ title: 'a' })).pointers).to.deep.equal(['/values_by_field/title']);
    expect((await by({ title: {} })).status).to.equal(400);
    expect((await by([{ value: 1 }])).status).to.equal(400);
  });

  it('takes words that JavaScript has a meaning for as names like any others', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const body = `{"tracker":{"id":${api.tracker('bug')}},"values_by_field":{"${name}":{"value":"x"}}}`;
      expect(refusal(await post(body))).to.deep.equal({ status: 400, pointers: [`/values_by_field/${name}`] });
      const element = `{"field_id":${api.field('bug', 'title')},"${name}":{"value":"x"}}`;
      const values = `{"tracker":{"id":${api.tracker('bug')}},"values":[${element}]}`;
      expect(refusal(await post(values)).status).to.equal(400);
    }
    expect(({} as Record<string, unknown>)['value']).to.equal(undefined);
  });

  it('wants one form of values, not none and not both', async () => {
    const title = api.titled('a');
    const none =
      'Bad Request: There is no value; name a field in "values" or "values_by_field", or an artifact in "from_artifact"';
    for (const empty of [{}, { values: [] }, { values_by_field: {} }, { values: [], values_by_field: null }]) {
      const { status, body } = await post(inBugs(empty));
      expect([status, body.error.message]).to.deep.equal([400, none]);
    }
    const both = await post(inBugs({ values: [title], values_by_field: { title: { value: 'b' } } }));
    expect([both.status, both.body.error.message]).to.deep.equal([
      400,
      'Bad Request: Give exactly one of "values", "values_by_field" and "from_artifact"',
    ]);
    expect((await post(inBugs({ values: [title], values_by_field: {} }))).status).to.equal(201);
    expect((await post(inBugs({ values: [title], values_by_field: null }))).status).to.equal(201);
    // So PHP writes an empty object.
    expect((await post(inBugs({ values: [title], values_by_field: [] }))).status).to.equal(201);
    expect(refusal(await post(inBugs({ values_by_field: [] }))).status).to.equal(400);
  });

  it('names the member of the body that is missing or of the wrong type', async () => {
    const values = [api.titled('a')];
    expect(refusal(await post({ values }))).to.deep.equal({ status: 400, pointers: ['/tracker'] });
    expect(refusal(await post({ tracker: {}, values })).pointers).to.deep.equal(['/tracker/id']);
    expect(refusal(await post({ tracker: 'bug', values })).pointers).to.deep.equal(['/tracker']);
    expect(refusal(await post({ tracker: { id: 'bug' }, values })).pointers).to.deep.equal(['/tracker/id']);
    expect(refusal(await post({ tracker: { id: 1.5 }, values })).pointers).to.deep.equal(['/tracker/id']);
    expect(refusal(await post(inBugs({ values: {} }))).pointers).to.deep.equal(['/values']);
    expect(refusal(await post(inBugs({ values: ['a'] }))).pointers).to.deep.equal(['/values/0']);
    expect(refusal(await post('')).status).to.equal(400);
  });

  it('names every element that is wrong', async () => {
    const answer = await post(
      inBugs({
        values: [{ value: 1 }, { field_id: 'x' }, { field_id: 99999, value: 1 }, api.set('effort', { value: 'a' })],
      }),
    );
    expect(refusal(answer)).to.deep.equal({
      status: 400,
      pointers: ['/values/0/field_id', '/values/1/field_id', '/values/2/field_id', '/values/3/value'],
    });
  });

  it('refuses the field of another tracker', async () => {
    const foreign = api.titled('a', 'note');
    expect(refusal(await post(inBugs({ values: [api.titled('a'), foreign] }))).pointers).to.deep.equal([
      '/values/1/field_id',
    ]);
  });

  it('takes ids in digits, and the last of several elements for one field', async () => {
    const { status, body } = await post({
      tracker: { id: String(api.tracker('bug')) },
      values: [api.titled('first'), { field_id: String(api.field('bug', 'title')), value: 'last' }],
    });
    expect(status).to.equal(201);
    expect((await api.read(body.id)).body.title).to.equal('last');
  });

  it('needs a signed-in user', async () => {
    const { status, headers, body } = await api.post('/artifacts', { body: inBugs({ values: [api.titled('a')] }) });
    expect(status).to.equal(401);
    expect(headers.get('www-authenticate')).to.be.a('string');
    expect(body.error.code).to.equal(401);
  });

  it('knows no tracker: 404, before the values are looked at', async () => {
    expect(refusal(await post({ tracker: { id: 999_999 }, values: [{ field_id: 1 }] })).status).to.equal(404);
  });

  it('knows no tracker of a project that is out of reach, and writes none of a suspended one, for every user', async () => {
    const into = (tracker: string, as: string) => api.submit([api.titled('a', tracker)], { tracker, as });
    expect(refusal(await into('case', 'bob')).status).to.equal(404);
    expect((await into('case', 'carol')).status).to.equal(201);
    expect(refusal(await into('ice', 'bob')).status).to.equal(403);
    expect(refusal(await into('ice', 'alice')).status).to.equal(403);
  });

  /** A tracker of Depot, with one field. */
  const ofMembers = (name: string, field: string) => {
    const tracker = `{ item_name: ${name}, label: ${name}, permissions: { submit: [project_members] }, fields: [${field}] }`;
    const text = `projects: [{ shortname: depot, label: Depot, members: [bob], trackers: [${tracker}] }]`;
    return api.operate('apply', { text, prune: false, env: {} });
  };

  it('is refused to users who may not submit to the tracker, whatever they may fill in there', async () => {
    await ofMembers(
      'parcel',
      '{ name: title, label: Title, type: string, permissions: { submit: [registered_users] } }',
    );
    const into = (as: string) => api.submit([api.titled('a', 'parcel')], { tracker: 'parcel', as });
    expect(refusal(await into('dave'))).to.deep.equal({ status: 403, pointers: [] });
    expect((await into('bob')).status).to.equal(201);
  });

  it('is refused to users who may not fill in what the tracker requires, unless a default does', async () => {
    const required =
      'name: title, label: Title, type: string, required: true, permissions: { submit: [project_admins] }';
    await ofMembers('barrel', `{ ${required} }`);
    const into = (tracker: string) => api.submit([api.titled('Untitled', tracker)], { tracker, as: 'bob' });
    expect(refusal(await into('barrel'))).to.deep.equal({ status: 403, pointers: [] });
    await ofMembers('box', `{ ${required}, default: Untitled }`);
    expect((await into('box')).status).to.equal(201);
  });

  it('needs the required fields, and refuses an empty one', async () => {
    for (const values of [[api.set('effort', { value: 1 })], [api.titled('')], [api.titled(null)]]) {
      expect(refusal(await api.submit(values)).status).to.equal(400);
    }
  });

  it('fills in the defaults of fields that are not named, and keeps empty values', async () => {
    const id = await api.created();
    expect((await api.shown(id, 'status_id'))?.['bind_value_ids']).to.deep.equal([
      api.value('bug', 'status_id', 'New'),
    ]);
    expect(await api.shown(id, 'remaining')).to.include({ is_autocomputed: true, value: null, manual_value: null });
    await ofMembers('tin', '{ name: rank, label: Rank, type: sb, values: [{ label: high }], default: high }');
    const emptied = await api.submit([api.set('rank', { bind_value_ids: [] }, 'tin')], { tracker: 'tin', as: 'bob' });
    expect((await api.read(emptied.body.id, 'bob')).body.values[0]).to.deep.include({ values: [], bind_value_ids: [] });
  });

  it('fills in the defaults of fields for which a client sends null in each member that it leaves out', async () => {
    const list = 'bind: static, values: [{ label: low }, { label: high }]';
    const fields = {
      state: 'type: string, default: new',
      size: 'type: int, required: true, default: 5',
      rank: `type: sb, ${list}, default: high`,
      tags: `type: tbl, ${list}, default: [high]`,
      sum: 'type: computed',
      links: 'type: art_link',
    };
    const lines = Object.entries(fields).map(([name, more]) => `{ name: ${name}, label: ${name}, ${more} }`);
    await ofMembers('jar', lines.join(', '));
    const into = async (parts: Json): Promise<readonly Json[]> => {
      const values = Object.keys(fields).map((name) => api.set(name, parts, 'jar'));
      const { status, body } = await api.submit(values, { tracker: 'jar', as: 'bob' });
      expect(status, JSON.stringify(body)).to.equal(201);
      return (await api.read(body.id, 'bob')).body.values;
    };
    const nulls = ['value', 'bind_value_ids', 'links', 'parent', 'all_links', 'is_autocomputed', 'granted_groups_ids'];
    const values = await into(Object.fromEntries([...nulls, 'file_descriptions'].map((member) => [member, null])));
    expect(values).to.deep.equal(await into({ value: null }));
    const [state, size, rank, tags, sum] = values;
    expect([state!['value'], size!['value'], sum!['is_autocomputed']]).to.deep.equal(['new', 5, true]);
    for (const held of [rank!, tags!]) expect(held).to.have.nested.property('bind_value_ids').that.has.length(1);
  });

  it('starts where the workflow lets new artifacts start', async () => {
    const done = api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', 'Done')] });
    expect(refusal(await api.submit([api.titled('a'), done])).status).to.equal(400);
  });

  it('refuses a field to users without the right to submit it, and takes it from others', async () => {
    const points = api.set('points', { value: 3 });
    expect(refusal(await api.submit([api.titled('a'), points], { as: 'dave' }))).to.deep.equal({
      status: 400,
      pointers: ['/values/1'],
    });
    const id = await api.created([points], { as: 'carol' });
    expect((await api.shown(id, 'points', 'dave'))?.['value']).to.equal(3);
  });

  it('refuses to empty a default to users without the right to submit its field, and takes the default back', async () => {
    const protect = (name: string, more: string): string =>
      `{ name: ${name}, label: ${name}, ${more}, permissions: { submit: [project_admins] } }`;
    await ofMembers('pallet', `${protect('state', 'type: string, default: new')}, ${protect('sum', 'type: computed')}`);
    const into = (name: string, value: Json) =>
      api.submit([api.set(name, value, 'pallet')], { tracker: 'pallet', as: 'bob' });
    for (const value of ['', 'old']) expect(refusal(await into('state', { value })).status).to.equal(400);
    for (const value of [null, 5]) expect(refusal(await into('sum', { manual_value: value })).status).to.equal(400);
    expect((await into('state', { value: 'new' })).status).to.equal(201);
    const { body } = await into('state', { value: null });
    expect((await api.read(body.id, 'bob')).body.values[0]).to.include({ value: 'new' });
    expect((await into('sum', { is_autocomputed: true })).status).to.equal(201);
  });

  it('refuses labels, old and new ones, to users without the right to submit their field', async () => {
    await ofMembers(
      'crate',
      '{ name: tags, label: Tags, type: tbl, bind: static, values: [{ label: old }], permissions: { submit: [project_admins] } }',
    );
    for (const label of ['old', 'new']) {
      const tags = api.set('tags', { value: { bind_value_objects: [{ label }] } }, 'crate');
      const refused = await api.submit([tags], { tracker: 'crate', as: 'bob' });
      expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/0'] });
    }
  });

  it('leaves no event after a refusal', async () => {
    const before = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=1`, { as: 'alice' });
    await api.submit([api.titled('a'), api.set('effort', { value: 'much' })]);
    await api.submit([api.titled('a'), api.set('links', { links: [{ id: 999_999 }] })]);
    const after = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=1`, { as: 'alice' });
    expect(after.headers.get('x-pagination-size')).to.equal(before.headers.get('x-pagination-size'));
  });

  it('shows texts, lists and dates that were left out as empty, and leaves out numbers, files and permissions', async () => {
    const id = await api.created([api.set('description', { value: null }), api.set('effort', { value: null })]);
    expect(await api.shown(id, 'description')).to.include({ type: 'text', value: '', format: 'text' });
    for (const name of ['severity', 'assigned_to', 'team', 'platforms']) {
      expect(await api.shown(id, name)).to.deep.include({ values: [], bind_value_ids: [] });
    }
    expect(await api.shown(id, 'tags')).to.deep.include({ bind_value_objects: [], bind_value_ids: [] });
    expect(await api.shown(id, 'due')).to.include({ value: null, is_time_displayed: false });
    expect(await api.shown(id, 'meeting')).to.include({ value: null, is_time_displayed: true });
    for (const name of ['points', 'effort', 'attachments', 'readers']) {
      expect(await api.shown(id, name)).to.equal(undefined);
    }
    const { body } = await api.get(`/artifacts/${id}?values_format=by_field`);
    expect(body.values_by_field).to.deep.include({ points: null, effort: null });
    expect(body.values_by_field.description).to.include({ value: '' });
  });
});
