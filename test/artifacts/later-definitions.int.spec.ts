import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { artifactApi, elementsOf, refusal, type ArtifactApi, type Json } from './artifact-api.js';

const user = (username: string, more = {}) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
  ...more,
});

const title = { name: 'title', label: 'Title', type: 'string' };

/** Of the two trackers. */
type Fields = readonly (readonly object[])[];

const platformOf = (...[bug = [], task = []]: Fields): string =>
  JSON.stringify({
    users: [user('alice', { site_admin: true }), user('carol')],
    projects: [
      {
        shortname: 'p',
        label: 'P',
        admins: ['alice'],
        members: ['carol'],
        trackers: [
          { item_name: 'bug', label: 'Bugs', fields: [title, ...bug] },
          { item_name: 'task', label: 'Tasks', fields: [title, ...task] },
        ],
      },
    ],
  });

const apply = (api: ArtifactApi, ...fields: Fields): Promise<unknown> =>
  api.operate('apply', { text: platformOf(...fields), prune: false, env: {} });

describe('an artifact with a field that was emptied before it became required', () => {
  const reason = (more: object): Json => ({ name: 'reason', label: 'Reason', type: 'string', ...more });
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi({ platform: platformOf([reason({})]) });
    id = await api.created([api.set('reason', { value: 'none yet' })]);
    await api.changed(id, [api.set('reason', { value: '' })]);
    await apply(api, [reason({ required: true, permissions: { update: ['project_admins'] } })]);
  });
  after(() => api.stop());

  it('is sent back as it was read, by a user who may not fill in the field', async () => {
    const [etag, values] = [await api.etag(id), elementsOf(await api.read(id))];
    expect(values.map(({ value }) => value)).to.deep.equal(['Crash', '']);
    expect(await api.changed(id, values)).to.equal(etag);
  });

  it('is sent back with another title', async () => {
    const [, emptied] = elementsOf(await api.read(id));
    await api.changed(id, [api.titled('Fire'), emptied]);
    expect(await api.shown(id, 'title')).to.include({ value: 'Fire' });
  });

  it('takes a value from those who may update the field, and keeps it then', async () => {
    const filled = [api.set('reason', { value: 'found' })];
    expect(refusal(await api.change(id, filled))).to.deep.equal({ status: 400, pointers: ['/values/0'] });
    await api.changed(id, filled, { as: 'alice' });
    const emptied = await api.change(id, [api.set('reason', { value: '' })], { as: 'alice' });
    expect(refusal(emptied)).to.deep.equal({ status: 400, pointers: ['/values/0/value'] });
  });
});

describe('a computed field that a tracker gained after its artifacts', () => {
  const effort: Json = { name: 'effort', label: 'Effort', type: 'int' };
  const links: Json = { name: 'links', label: 'Links', type: 'art_link' };
  const total: Json = { name: 'effort', label: 'Total', type: 'computed', permissions: { update: ['project_admins'] } };
  const sum = (value: number | null): Json => ({ is_autocomputed: true, value, manual_value: null });
  const none: Json = { is_autocomputed: false, value: null, manual_value: null };
  let api: ArtifactApi;
  let leaves: readonly number[];
  const parentOf = (children: readonly number[], values: readonly Json[] = [], as = 'carol'): Promise<number> =>
    api.created([api.set('links', { links: children.map((id) => ({ id, type: '_is_child' })) }), ...values], { as });
  const shown = (id: number): Promise<Json | undefined> => api.shown(id, 'effort');
  const lastChange = async (id: number): Promise<Json> =>
    (await api.get(`/artifacts/${id}/history?order=desc&limit=1`)).body[0].changes[0];

  let old: number;
  beforeEach(async () => {
    api = await artifactApi({ platform: platformOf([links], [effort]) });
    const leaf = (value: number) =>
      api.created([api.set('effort', { value }, 'task')], { tracker: 'task', as: 'carol' });
    leaves = [await leaf(3), await leaf(4)];
    old = await parentOf(leaves);
    await apply(api, [links, total], [effort]);
  });
  afterEach(() => api.stop());

  it('is the sum over their children, and counts once in the sums above them', async () => {
    const above = await parentOf([old, await parentOf(leaves)]);
    expect(await shown(old)).to.deep.include(sum(7));
    expect(await shown(above)).to.deep.include(sum(7));
    const byField = await api.get(`/artifacts/${old}?values_format=by_field`);
    expect(byField.body.values_by_field.effort).to.deep.include(sum(7));
    const flat = await api.get(
      `/artifacts/${above}/linked_artifacts?direction=forward&nature=_is_child&output_format=flat`,
    );
    expect(flat.body.map(({ effort: value }: Json) => value)).to.deep.equal([7, 7]);
    const past = elementsOf(await api.get(`/artifacts/${old}?revision=0`));
    expect(past.find(({ type }) => type === 'computed')).to.deep.include(sum(null));
  });

  it('is sent back as it was read, by a user who may only read the field', async () => {
    const etag = await api.etag(old);
    expect(await api.changed(old, elementsOf(await api.read(old)))).to.equal(etag);
  });

  it('was changed where an earlier release recorded that it became a sum', async () => {
    const { log, readModels } = api.service;
    const [artifactId, stream] = [old, artifactStream(old)];
    const values = { [api.field('bug', 'effort')]: { auto: true } };
    const data = { artifactId, trackerId: api.tracker('bug'), values };
    const event = { type: 'ArtifactValuesChanged', data, id: randomUUID() };
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    const { revision } = await log.read(stream);
    const { position } = await log.append(stream, revision, [event], metadata);
    expect(await readModels.caughtUp(ARTIFACTS, position, 60_000)).to.equal(true);
    const after = { is_autocomputed: true, manual_value: null };
    expect(await lastChange(old)).to.deep.include({ name: 'effort', before: null, after });
    expect((await api.get(`/artifacts/${old}/changesets`)).body).to.have.length(2);
  });

  it('is no sum where null was given, nor part of the sums above', async () => {
    const nothing = [api.set('effort', { manual_value: null })];
    const above = await parentOf([old, await parentOf(leaves, nothing, 'alice')]);
    expect(await shown(above)).to.deep.include(sum(7));
    await api.changed(old, nothing, { as: 'alice' });
    expect(await shown(old)).to.deep.include(none);
    expect(await shown(above)).to.deep.include(sum(null));
    const before = { is_autocomputed: true, manual_value: null };
    expect(await lastChange(old)).to.deep.include({ name: 'effort', before, after: null });
    expect((await api.get(`/artifacts/${old}/changesets`)).body).to.have.length(2);
  });
});
