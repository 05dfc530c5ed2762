import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { artifactApi, elementsOf, pageHeaders, refusal, type ArtifactApi } from './artifact-api.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;

describe('reading an artifact', () => {
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi();
    id = await api.created([api.set('assigned_to', { bind_value_ids: [api.user('bob')] })]);
  });
  after(() => api.stop());

  const get = (query = '', as: string | undefined = 'carol') =>
    api.get(`/artifacts/${id}${query}`, { ...(as && { as }) });
  const user = (username: string, realName: string) => ({
    id: api.user(username),
    uri: `users/${api.user(username)}`,
    user_url: `/users/${username}`,
    real_name: realName,
    display_name: `${realName} (${username})`,
    username,
    ldap_id: '',
    is_anonymous: false,
    has_avatar: false,
  });

  it('shows every member that clients know, and no other', async () => {
    const { status, body } = await get();
    expect(status).to.equal(200);
    const tracker = api.tracker('bug');
    const project = { id: 101, uri: 'projects/101', label: 'Hydra', icon: '' };
    const { values, submitted_by_user: submitter, last_update_by_user: updater, assignees, ...rest } = body;
    expect(rest.submitted_on).to.match(ISO);
    expect(rest).to.deep.equal({
      id,
      uri: `artifacts/${id}`,
      xref: `bug #${id}`,
      tracker: {
        id: tracker,
        uri: `trackers/${tracker}`,
        label: 'Bugs',
        color_name: 'fiesta-red',
        project,
        cannot_create_reasons: null,
      },
      project,
      submitted_by: api.user('carol'),
      submitted_on: rest.submitted_on,
      html_url: `/plugins/tracker/?aid=${id}`,
      changesets_uri: `artifacts/${id}/changesets`,
      values_by_field: null,
      last_update_by: api.user('carol'),
      last_modified_date: rest.submitted_on,
      status: 'New',
      full_status: { value: 'New', color: 'fiesta-red' },
      is_open: true,
      title: 'Crash',
    });
    expect(values).to.be.an('array');
    expect(submitter)
      .to.deep.include(user('carol', 'Carol Clark'))
      .and.have.all.keys(...Object.keys(updater as object));
    expect(updater).to.deep.equal(submitter);
    expect(assignees).to.have.lengthOf(1);
    expect(assignees[0]).to.deep.include(user('bob', 'Bob Brown'));
  });

  it('carries its validators, never a place', async () => {
    const { headers, body } = await get();
    expect(headers.get('etag')).to.equal('"0"');
    const modified = new Date(headers.get('last-modified') ?? '');
    expect(modified.getTime()).to.equal(Date.parse(body.last_modified_date as string));
    expect(headers.get('last-modified')).to.match(/GMT$/);
    expect(headers.get('location')).to.equal(null);
    expect(headers.get('allow')?.split(', ')).to.include.members(['OPTIONS', 'GET', 'PUT']);
  });

  it('shows values in the requested form', async () => {
    for (const [query, values, byField] of [
      ['', 'array', 'null'],
      ['?values_format=', 'array', 'null'],
      ['?values_format=collection', 'array', 'null'],
      ['?values_format=by_field', 'null', 'object'],
      ['?values_format=all', 'array', 'object'],
    ] as const) {
      const { body } = await get(query);
      expect(body.values, query).to.be.an(values);
      expect(body.values_by_field, query).to.be.an(byField);
    }
    expect(refusal(await get('?values_format=odd'))).to.deep.equal({ status: 400, pointers: ['values_format'] });
  });

  it('shows its whole tracker on request', async () => {
    const { body } = await get('?tracker_structure_format=complete');
    const { body: tracker } = await api.get(`/trackers/${api.tracker('bug')}`, { as: 'carol' });
    const fields = (tracker.fields as readonly { readonly type: string }[]).map((field) =>
      field.type === 'fieldset' ? { ...field, is_hidden: false } : field,
    );
    expect(fields).to.not.deep.equal(tracker.fields);
    expect(body.tracker).to.deep.equal({ ...tracker, fields });
    expect((await get('?tracker_structure_format=minimal')).body.tracker).to.have.property('cannot_create_reasons');
    expect(refusal(await get('?tracker_structure_format=odd')).status).to.equal(400);
  });

  it('shows fields in the order of the form, with their number, type and label', async () => {
    const values = elementsOf(await get());
    expect(values[0]).to.deep.equal({
      field_id: api.field('bug', 'title'),
      type: 'string',
      label: 'Title',
      value: 'Crash',
    });
    const ids = values.map(({ field_id: field }) => field);
    const form = ['title', 'description', 'status_id', 'assigned_to', 'team', 'tags', 'severity', 'platforms'];
    const further = ['due', 'meeting', 'remaining', 'links', 'id', 'rank', 'submitted_on'];
    expect(ids.slice(0, 15)).to.deep.equal([...form, ...further].map((name) => api.field('bug', name)));
    const stamps = new Map(values.map(({ type, value }) => [type, value]));
    expect(stamps.get('aid')).to.equal(id);
    expect(stamps.get('atid')).to.equal(1);
    expect(stamps.get('subon')).to.match(ISO);
    expect(stamps.get('luby')).to.deep.include({
      ...user('carol', 'Carol Clark'),
      email: 'carol@example.org',
      status: 'A',
    });
  });

  it('is open to anonymous readers, without addresses', async () => {
    const answer = await get('', '');
    const submitter = elementsOf(answer).find(({ type }) => type === 'subby')?.['value'];
    expect(submitter).to.deep.include(user('carol', 'Carol Clark')).and.not.have.any.keys('email', 'status');
    expect(JSON.stringify(answer.body)).not.to.include('@example.org');
  });

  it('is closed to them where the platform does not welcome them', async () => {
    const platform = readFileSync(new URL('../support/platform.yaml', import.meta.url), 'utf8');
    const closed = await artifactApi({
      platform: platform.replace('anonymous_access: true', 'anonymous_access: false'),
    });
    try {
      const made = await closed.created();
      for (const path of [
        `/artifacts/${made}`,
        `/artifacts/${made}/changesets`,
        '/artifacts?query={"id":[1]}',
        '/artifacts/999999',
      ]) {
        const { status, headers } = await closed.get(path);
        expect([status, headers.get('www-authenticate') !== null], path).to.deep.equal([401, true]);
      }
      expect((await closed.read(made, 'dave')).status).to.equal(200);
    } finally {
      await closed.stop();
    }
  });

  it('leaves out fields that the reader may not read', async () => {
    const made = await api.created([api.set('secret', { value: 'hush' })]);
    expect(await api.shown(made, 'secret', 'carol')).to.equal(undefined);
    expect(await api.shown(made, 'secret', 'bob')).to.equal(undefined);
    expect((await api.shown(made, 'secret', 'alice'))?.['value']).to.equal('hush');
    const all = await api.get(`/artifacts/${made}?values_format=all`, { as: 'carol' });
    expect(all.body.values_by_field).not.to.have.property('secret');
  });

  it('is 404 for an unknown id, 400 for an id that is no number, 403 for a hidden artifact', async () => {
    const at = async (path: string, as?: string) => refusal(await api.get(path, { ...(as && { as }) })).status;
    const secret = await api.created([], { tracker: 'case' });
    for (const tail of ['', '/changesets']) {
      expect(await at(`/artifacts/999999${tail}`)).to.equal(404);
      expect(await at(`/artifacts/abc${tail}`)).to.equal(400);
      expect(await at(`/artifacts/0${tail}`)).to.equal(400);
      expect(await at(`/artifacts/${secret}${tail}`)).to.equal(403);
      expect(await at(`/artifacts/${secret}${tail}`, 'bob')).to.equal(403);
      expect((await api.get(`/artifacts/${secret}${tail}`, { as: 'carol' })).status).to.equal(200);
      expect((await api.get(`/artifacts/${secret}${tail}`, { as: 'alice' })).status).to.equal(200);
    }
  });

  it('is for the groups that its permission field grants, and for administrators', async () => {
    const groups = { granted_groups: ['101_4'], is_used_by_default: true };
    const made = await api.created([api.set('readers', { value: groups })]);
    const statuses = async () => {
      const answers = await Promise.all(
        ['', 'dave', 'carol', 'bob', 'alice'].map((as) => api.get(`/artifacts/${made}`, { ...(as && { as }) })),
      );
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).to.deep.equal([403, 403, 403, 200, 200]);
    expect(await api.shown(made, 'readers', 'bob')).to.deep.include({
      granted_groups: ['Project administrators'],
      granted_groups_ids: ['101_4'],
    });
    expect(refusal(await api.change(made, [], { as: 'carol' })).status).to.equal(403);
    for (const isUsed of [false, null]) {
      const same = { ...groups, is_used_by_default: isUsed };
      expect(await api.changed(made, [api.set('readers', { value: same })], { as: 'bob' })).to.equal('"0"');
    }
    expect(await statuses()).to.deep.equal([403, 403, 403, 200, 200]);
    await api.changed(made, [api.set('readers', { value: { is_used_by_default: false } })], { as: 'bob' });
    expect(await statuses()).to.deep.equal([200, 200, 200, 200, 200]);
  });

  it('answers HEAD and OPTIONS, and refuses other methods', async () => {
    const head = await api.request('HEAD', `/artifacts/${id}`);
    expect([head.status, head.body, head.headers.get('etag')]).to.deep.equal([200, undefined, '"0"']);
    const options = await api.request('OPTIONS', '/artifacts/999999');
    expect([options.status, options.headers.get('allow')]).to.deep.equal([200, head.headers.get('allow')]);
    expect((await api.request('PATCH', `/artifacts/${id}`, { as: 'carol', body: {} })).status).to.equal(405);
  });

  it('takes a trailing slash, the other prefix, and unknown parameters', async () => {
    for (const path of [`/artifacts/${id}/`, `/v1/artifacts/${id}`, `/artifacts/${id}?odd=1`]) {
      expect((await api.get(path)).body, path).to.have.property('id', id);
    }
  });

  describe('by a list of ids', () => {
    const many = (query: unknown, more = '', as: string | undefined = 'carol') =>
      api.get(`/artifacts?query=${encodeURIComponent(JSON.stringify(query))}${more}`, { ...(as && { as }) });

    it('gives those that the reader may see, in the order asked for, with both forms of values', async () => {
      const other = await api.created();
      const hidden = await api.created([], { tracker: 'case' });
      const { status, body, headers } = await many({ id: [other, 999_999, 1e18, hidden, id] }, '', 'bob');
      expect(status).to.equal(200);
      expect(body.collection.map((artifact: { id: number }) => artifact.id)).to.deep.equal([other, id]);
      expect(body.collection[0].values).to.be.an('array');
      expect(body.collection[0].values_by_field).to.be.an('object');
      expect(pageHeaders({ headers })).to.deep.equal([100, 0, 2, 100]);
    });

    it('gives full pages', async () => {
      const ids = [await api.created(), 999_999, await api.created(), await api.created()];
      const answer = await many({ id: ids }, '&limit=2&offset=1');
      expect(answer.body.collection.map((artifact: { id: number }) => artifact.id)).to.deep.equal([ids[2], ids[3]]);
      expect(pageHeaders(answer)).to.deep.equal([2, 1, 3, 100]);
      expect((await many({ id: [] })).body).to.deep.equal({ collection: [] });
    });

    it('refuses what is no list of ids', async () => {
      for (const query of [{}, { id: 1 }, { id: ['a'] }, { id: [1, 1] }, [], 1]) {
        expect(refusal(await many(query)), JSON.stringify(query)).to.deep.equal({ status: 400, pointers: ['query'] });
      }
      for (const path of [
        '/artifacts',
        '/artifacts?query=',
        '/artifacts?query={',
        '/artifacts?query=%7B%7D&query=%7B%7D',
      ]) {
        expect(refusal(await api.get(path)).status, path).to.equal(400);
      }
      for (const path of ['/artifacts', '/artifacts?query=%20', '/artifacts?tracker_id=101']) {
        const { body } = await api.get(path);
        expect(body.error.message, path).to.equal(
          'Bad Request: query is required, unless modified_since or created_since is given',
        );
      }
      expect((await many({})).body.error.message).to.equal('Bad Request: query has no member "id"');
      expect(refusal(await many({ id: Array.from({ length: 101 }, (_, index) => index + 1) })).status).to.equal(403);
      expect(refusal(await many({ id: [1] }, '&limit=101'))).to.deep.equal({ status: 400, pointers: ['limit'] });
      expect(refusal(await many({ id: [1] }, '&offset=-1')).pointers).to.deep.equal(['offset']);
    });
  });
});
