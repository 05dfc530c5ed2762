import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, type FieldJson, type TrackerJson } from './shapes.js';

const FIELD_KEYS = [
  ...['field_id', 'label', 'name', 'type', 'values', 'required', 'collapsed', 'bindings', 'permissions'],
  ...['permissions_for_groups', 'default_value', 'has_notifications', 'is_used', 'description'],
  ...['specific_properties', 'label_decorators'],
];
const ALL = ['read', 'update', 'create'];
const USER = ['id', 'uri', 'real_name', 'username', 'avatar_url'];
const GROUP = ['id', 'uri', 'label', 'users_uri', 'short_name', 'key'];

describe('definitions of trackers', () => {
  let api: RunningService;
  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
  });
  after(() => api.stop());

  const asReader = (as?: string) => (as === undefined ? {} : { as });
  const statusOf = async (path: string, as?: string): Promise<number> => (await api.get(path, asReader(as))).status;
  const structure = async (name: string, as?: string): Promise<TrackerJson> =>
    bodyOf(await api.get(`/trackers/${api.tracker(name)}`, asReader(as)));
  const search = (query: unknown): string => `query=${encodeURIComponent(JSON.stringify(query))}`;

  const labels = async (path: string, as?: string): Promise<unknown> =>
    bodyOf<TrackerJson[]>(await api.get(path, asReader(as))).map(({ label }) => label);

  it('are listed by label, to those who may see them', async () => {
    const all = ['Another with veiled meanings', 'Bosses', 'Items', 'Staff'];
    expect(await labels('/projects/101/trackers', 'pam')).to.deep.equal(all);
    expect(await labels('/projects/101/trackers', 'meg')).to.deep.equal(all.filter((label) => label !== 'Bosses'));
    expect(await labels('/projects/101/trackers')).to.deep.equal([all[0], all[2]]);
    const mine = `/projects/101/trackers?${search({ is_tracker_admin: true })}`;
    expect(await labels(mine, 'tim')).to.deep.equal(['Items']);
    expect(await labels(mine, 'pam')).to.deep.equal(all);
    expect(await labels(mine)).to.deep.equal([]);
    for (const wrong of [
      'query=x',
      search({ is_tracker_admin: false }),
      search({ label: 'x' }),
      'representation=tiny',
    ]) {
      expect(await statusOf(`/projects/101/trackers?${wrong}`), wrong).to.equal(400);
    }
  });

  it('are 404 for a hidden tracker in an open project, and 403 in a closed project', async () => {
    const statuses: Record<string, number[]> = {};
    for (const as of ['root', 'pam', 'meg', undefined]) {
      const names = ['item', 'staff', 'bosses', 'case', 'ice'];
      statuses[as ?? 'anonymous'] = await Promise.all(
        names.map((name) => statusOf(`/trackers/${api.tracker(name)}`, as)),
      );
    }
    expect(statuses).to.deep.equal({
      root: [200, 200, 200, 200, 200],
      pam: [200, 200, 200, 403, 403],
      meg: [200, 200, 404, 403, 403],
      anonymous: [200, 404, 404, 403, 403],
    });
  });

  it('are full unless their minimal form is asked for', async () => {
    const full = bodyOf<TrackerJson[]>(await api.get('/projects/101/trackers?representation=full', { as: 'tim' }));
    expect(full.find(({ item_name: name }) => name === 'item')).to.deep.equal(await structure('item', 'tim'));
    const minimal = bodyOf<TrackerJson[]>(await api.get('/projects/101/trackers?representation=minimal'));
    expect(minimal.find(({ label }) => label === 'Items')).to.deep.equal({
      id: api.tracker('item'),
      uri: `trackers/${api.tracker('item')}`,
      label: 'Items',
      color_name: 'army-green',
      project: { id: 101, uri: 'projects/101', label: 'Öffentlich', icon: '' },
      cannot_create_reasons: [],
    });
  });

  it('have the members that clients parse', async () => {
    const { fields, structure: tree, semantics, workflow, ...rest } = await structure('item', 'meg');
    const id = (name: string): number => fields.find((field) => field.name === name)!.field_id;
    expect(rest).to.deep.equal({
      id: api.tracker('item'),
      uri: `trackers/${api.tracker('item')}`,
      html_url: `/plugins/tracker/?tracker=${api.tracker('item')}`,
      project: { id: 101, uri: 'projects/101', label: 'Öffentlich', icon: '' },
      label: 'Items',
      description: 'Everything there is',
      item_name: 'item',
      notifications: { enabled: false },
      permissions_for_groups: null,
      parent: null,
      resources: ['artifacts', 'reports', 'used_artifact_links', 'parent_artifacts'].map((type) => {
        return { type, uri: `trackers/${api.tracker('item')}/${type.replace('reports', 'tracker_reports')}` };
      }),
      color_name: 'army-green',
    });
    const leaf = (name: string) => ({ id: id(name), content: null });
    const box = [
      { id: id('left'), content: [leaf('title'), leaf('about')] },
      ...['count', 'ratio', 'due', 'meeting'].map(leaf),
    ];
    expect(tree)
      .to.be.an('array')
      .that.deep.includes({ id: id('box'), content: box });
    const open = ['New', 'Open'].map((label) => api.value('item', 'status_id', label));
    expect(Object.keys(semantics)).to.deep.equal(['title', 'description', 'status', 'contributor']);
    expect(semantics).to.deep.equal({
      title: { field_id: id('title') },
      description: { field_id: id('about') },
      status: { field_id: id('status_id'), value_ids: open },
      contributor: { field_id: id('owner') },
    });
    expect(workflow).to.deep.include({
      field_id: id('status_id'),
      is_used: '1',
      is_legacy: false,
      is_advanced: false,
    });
    expect(workflow).to.have.deep.property('rules', { dates: [], lists: [] });
    const [first] = bodyOf<{ transitions: { from_id: unknown; to_id: unknown }[] }>({ body: workflow }).transitions;
    expect(first).to.deep.include({ from_id: null, to_id: open[0] });
  });

  it('show permissions of groups to administrators only', async () => {
    for (const as of ['root', 'pam', 'tim']) {
      const { permissions_for_groups: groups, fields } = bodyOf<TrackerJson & { permissions_for_groups: object }>({
        body: await structure('item', as),
      });
      expect(groups).to.have.all.keys(
        'can_access',
        'can_access_submitted_by_user',
        'can_access_assigned_to_group',
        'can_access_submitted_by_group',
        'can_admin',
      );
      const containers = fields.filter(({ type }) => ['fieldset', 'column'].includes(type));
      for (const { name, permissions_for_groups: none } of containers) expect(none, name).to.equal(null);
      for (const { name, permissions_for_groups: ofField } of fields.filter((field) => !containers.includes(field))) {
        expect(ofField, name).to.have.all.keys('can_submit', 'can_read', 'can_update');
        expect(ofField!['can_read']![0], name).to.have.all.keys(GROUP);
      }
    }
    for (const as of ['meg', 'sam', undefined]) {
      const tracker = await structure('item', as);
      expect(tracker).to.have.property('permissions_for_groups', null);
      expect(tracker.fields.map(({ permissions_for_groups: groups }) => groups)).to.satisfy((all: unknown[]) =>
        all.every((each) => each === null),
      );
    }
  });

  it('leave out unreadable fields and their semantics', async () => {
    const names = async (as?: string) => (await structure('item', as)).fields.map(({ name }) => name);
    expect(await names('pam')).to.include.members(['inside', 'hidden_status']);
    expect(await names('tim'))
      .to.include('inside')
      .and.not.include('hidden_status');
    expect(await names()).to.not.include.members(['inside', 'hidden_status']);
    expect(await names('root')).to.not.include.members(['inside']);

    expect(await structure('veiled', 'pam'))
      .to.have.property('semantics')
      .that.has.keys('title', 'status');
    expect(await structure('veiled', 'tim')).to.deep.include({ semantics: {}, workflow: null, fields: [] });
    expect((await structure('staff', 'tim')).workflow).to.deep.include({
      field_id: 0,
      is_used: '0',
      transitions: [],
    });
  });

  const permissionsOf = ({ fields }: TrackerJson, name: string) =>
    fields.find((field) => field.name === name)?.permissions;

  it("name the reader's permissions for each field", async () => {
    const [pam, tim, sam, nobody] = await Promise.all(
      ['pam', 'tim', 'sam', undefined].map((as) => structure('item', as)),
    );
    expect([pam!, tim!, sam!, nobody!].map((tracker) => permissionsOf(tracker, 'title'))).to.deep.equal([
      ALL,
      ALL,
      ['read', 'create'],
      ['read'],
    ]);
    expect(permissionsOf(pam!, 'inside')).to.deep.equal(ALL);
    expect(permissionsOf(tim!, 'inside')).to.deep.equal(['read', 'create']);
    for (const name of ['aid', 'atid', 'submitted_on', 'submitted_by', 'updated_on', 'updated_by']) {
      expect(permissionsOf(pam!, name), name).to.deep.equal(['read']);
    }
  });

  it('describe every field with the same members, and those of its type', async () => {
    const { fields } = await structure('item', 'pam');
    const more: Record<string, string[]> = {
      date: ['is_time_displayed'],
      subon: ['is_time_displayed'],
      lud: ['is_time_displayed'],
      file: ['file_creation_uri', 'max_size_upload'],
      tbl: ['hint'],
      art_link: ['allowed_types'],
    };
    for (const field of fields) expect(field, field.name).to.have.all.keys(...FIELD_KEYS, ...(more[field.type] ?? []));
  });

  it('describe values, bindings and defaults as the type of the field has them', async () => {
    const { fields } = await structure('item', 'pam');
    const of = (name: string): FieldJson & Record<string, unknown> =>
      bodyOf({ body: fields.find((field) => field.name === name) });
    const value = (field: string, label: string, more = {}) => ({
      id: api.value('item', field, label),
      label,
      is_hidden: false,
      value_color: '',
      ...more,
    });
    expect(of('status_id').values).to.deep.equal([
      value('status_id', 'New', { value_color: 'fiesta-red' }),
      value('status_id', 'Open'),
      value('status_id', 'Done'),
      value('status_id', 'Old', { is_hidden: true }),
    ]);
    expect(of('status_id')).to.have.deep.property('bindings', { type: 'static', list: [] });
    expect(of('status_id').default_value).to.deep.equal([{ id: api.value('item', 'status_id', 'New'), label: 'New' }]);
    expect(of('kind').default_value).to.deep.equal([]);

    expect(of('owner')).to.have.deep.property('bindings', {
      type: 'users',
      list: [{ id: 3, label: 'project_members' }],
    });
    expect(of('owner').values?.map(({ label }) => label)).to.deep.equal(['meg', 'pam', 'tim']);
    expect(of('owner').values![0]).to.have.all.keys('id', 'label', 'user_reference');
    expect(of('owner').values![0]).to.have.property('user_reference').with.all.keys(USER);
    expect(of('owner').default_value).to.have.nested.property('[0].username', 'tim');
    expect(of('team')).to.have.nested.property('bindings.type', 'ugroups');
    expect(of('team').values![0]).to.have.property('ugroup_reference').with.all.keys(GROUP);
    expect(of('watchers').values).to.deep.equal({ resource: { type: 'users', uri: 'users/?query=' } });
    expect(of('readers').values).to.have.all.keys('is_used_by_default', 'ugroup_representations');

    for (const name of ['box', 'left', 'title', 'about', 'count', 'due', 'links', 'files', 'remaining', 'aid']) {
      expect(of(name), name).to.include({ values: null });
      expect(of(name), name).to.have.deep.property('bindings', { type: null, list: [] });
    }
    expect(of('title')).to.deep.include({
      required: true,
      default_value: 'Untitled',
      specific_properties: { maxchars: 80, size: 40, default_value: 'Untitled' },
    });
    expect(of('about').default_value).to.have.all.keys('format', 'content');
    expect([of('count').default_value, of('ratio').default_value]).to.deep.equal([3, 0.5]);
    expect(of('remaining').default_value).to.deep.equal({ type: 'manual_value', value: 5.2 });
    expect([of('due')['is_time_displayed'], of('meeting')['is_time_displayed']]).to.deep.equal([false, true]);
    const types = bodyOf<{ shortname: string }[]>({ body: of('links')['allowed_types'] });
    expect(types.map(({ shortname }) => shortname)).to.deep.equal(['', '_is_child', 'fixed_in']);
    expect(types[0]).to.have.all.keys('shortname', 'forward_label', 'reverse_label');
  });
});
