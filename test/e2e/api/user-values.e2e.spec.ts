import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, type ArtifactJson, type FieldJson, type TrackerJson } from './shapes.js';

const MINIMAL = [
  ...['id', 'uri', 'user_url', 'real_name', 'display_name', 'username', 'ldap_id', 'avatar_url'],
  ...['is_anonymous', 'has_avatar'],
];
const FULL = [...MINIMAL, 'email', 'status'];
const REFERENCE = ['id', 'uri', 'real_name', 'username', 'avatar_url'];

describe('users in representations', () => {
  let api: RunningService;
  let artifact: number;
  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    const of = (name: string, parts: object) => ({ field_id: api.field('item', name), ...parts });
    const values = [
      of('title', { value: 'An item' }),
      of('owner', { bind_value_ids: [api.user('tim')] }),
      of('helpers', { bind_value_ids: [api.user('meg'), api.user('sam')] }),
      of('watchers', { bind_value_ids: ['sam', 'other@elsewhere.org'] }),
    ];
    const body = { tracker: { id: api.tracker('item') }, values };
    artifact = bodyOf<ArtifactJson>(await api.post('/artifacts', { as: 'tim', body })).id;
  });
  after(() => api.stop());

  const asReader = (as?: string) => (as === undefined ? {} : { as });
  const fieldFor = async (name: string, as?: string, tracker = 'item'): Promise<FieldJson> => {
    const answer = await api.get(`/trackers/${api.tracker(tracker)}`, asReader(as));
    return bodyOf<TrackerJson>(answer).fields.find((field) => field.name === name)!;
  };
  const valueFor = async (path: string, name: string, as?: string) => {
    const { values } = bodyOf<ArtifactJson>(await api.get(path, asReader(as)));
    return values!.find(({ field_id: id }) => id === api.field('item', name))!;
  };

  for (const [name, group] of [
    ['submitted_by', 'artifact_submitters'],
    ['updated_by', 'artifact_modifiers'],
  ] as const) {
    it(`are what the field ${name} of a tracker is bound to, as any list of users is`, async () => {
      const field = await fieldFor(name, 'tim');
      expect(field).to.deep.include({
        default_value: [],
        bindings: { type: 'users', list: [{ id: 0, label: group }] },
      });
      expect(field.values).to.be.an('array').that.is.not.empty;
      for (const value of field.values!) {
        expect(value).to.have.all.keys('id', 'label', 'user_reference');
        expect(value).to.have.property('user_reference').with.all.keys(REFERENCE);
      }
    });
  }

  it('are found in the fields of writers by who may see them listed elsewhere', async () => {
    const found = async (as?: string) => (await fieldFor('submitted_by', as)).values!.map(({ label }) => label);
    // The lists of the tracker offer the members and the testers to every reader.
    expect(await found('pam')).to.deep.equal(['pam', 'meg', 'sam', 'tim']);
    expect(await found('max')).to.deep.equal(['max', 'meg', 'pam', 'sam', 'tim']);
    expect(await found()).to.deep.equal(['meg', 'pam', 'sam', 'tim']);
  });

  it('are whole in the values of lists for who has signed in, without address and state for others', async () => {
    const path = `/artifacts/${artifact}`;
    const owner = bodyOf<{ values: object[] }>({ body: await valueFor(path, 'owner', 'max') });
    expect(owner.values).to.have.length(1);
    expect(owner.values[0]).to.have.all.keys(FULL).and.include({ email: 'tim@example.org', status: 'A' });
    const helpers = bodyOf<{ values: object[] }>({ body: await valueFor(path, 'helpers', 'tim') });
    for (const value of helpers.values) expect(value).to.have.all.keys(FULL);
    const [watcher, label] = (await valueFor(path, 'watchers', 'tim')).bind_value_objects!;
    expect(watcher).to.have.all.keys(FULL).and.include({ email: 'sam@example.org' });
    expect(label).to.have.all.keys('id', 'label', 'color', 'tlp_color', 'is_hidden');

    for (const name of ['owner', 'helpers', 'watchers']) {
      const anonymous = JSON.stringify(await valueFor(path, name));
      expect(anonymous)
        .to.include('"username"')
        .and.not.to.match(/"email"|"status"|@example/);
    }
  });

  it('are whole in the changesets and the defaults of lists too', async () => {
    const changesets = await api.get(`/artifacts/${artifact}/changesets`, { as: 'tim' });
    expect(JSON.stringify(changesets.body)).to.include('"email":"meg@example.org"');
    expect(JSON.stringify((await api.get(`/artifacts/${artifact}/changesets`)).body)).not.to.include('@example');
    const defaultOf = async (as?: string) => (await fieldFor('owner', as)).default_value as object[];
    expect((await defaultOf('tim'))[0]).to.have.all.keys(FULL);
    expect((await defaultOf())[0]).to.have.all.keys(MINIMAL);
  });

  it('are whole among the members of a group', async () => {
    const { body } = await api.get('/user_groups/101_3/users', { as: 'pam' });
    expect(body).to.have.length(3);
    for (const user of bodyOf<object[]>({ body })) expect(user).to.have.all.keys(FULL);
  });
});
