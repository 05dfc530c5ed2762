import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { ALL_USERS, PROJECT_ADMINS, PROJECT_MEMBERS, REGISTERED_USERS } from '../../src/projects/project-events.js';
import { userGroups } from '../../src/projects/representation.js';
import { type Field } from '../../src/trackers/field-types/definition.js';
import { minimalTracker, trackerReference, trackerStructure } from '../../src/trackers/representation.js';
import {
  definitionsOf,
  fieldOf,
  groupOf,
  listValueOf,
  projectOf,
  trackerOf,
  userOf,
  type GivenDefinitions,
} from '../support/definitions.js';

const alice = userOf(114, { username: 'alice', realName: 'Alice Martin' });
const bob = userOf(115, { username: 'bob', realName: 'Bob Stone' });
const carol = userOf(116, { username: 'carol', status: 'suspended' });
const project = projectOf({ admins: [alice.id], members: [bob.id, carol.id], groups: [groupOf(105)] });
const projectReference = { id: 110, uri: 'projects/110', label: 'Project 110', icon: '' };

const status = fieldOf(502, 'sb', {
  name: 'status_id',
  bind: 'static',
  values: [listValueOf(504, { label: 'New', color: 'fiesta-red' }), listValueOf(505, { label: 'Done', hidden: true })],
  default: [504],
});
const internal = fieldOf(503, 'string', { permissions: { read: [PROJECT_ADMINS], submit: null, update: null } });

function structureOf(
  fields: readonly Field[],
  reader = bob,
  more: Parameters<typeof trackerOf>[1] & GivenDefinitions = {},
) {
  const tracker = trackerOf(fields, more);
  const definitions = definitionsOf({ ...more, users: [bob, alice, carol], projects: [project], trackers: [tracker] });
  const structure = trackerStructure(tracker, definitions, viewer(definitions, reader));
  return { ...structure, fields: structure.fields.map((field) => field.toJSON()) };
}

function fieldAs(field: Field, reader = bob, more: GivenDefinitions = {}): Record<string, unknown> {
  return { ...structureOf([field], reader, more).fields[0] };
}

describe('a tracker', () => {
  const tracker = trackerOf([]);
  const definitions = definitionsOf({ projects: [project], trackers: [tracker] });

  it('is told in its minimal form', () => {
    expect(minimalTracker(tracker, definitions)).to.deep.equal({
      id: 101,
      uri: 'trackers/101',
      label: 'Bugs',
      color_name: 'fiesta-red',
      project: projectReference,
      cannot_create_reasons: null,
    });
  });

  it('is told as references to artifacts hold it', () => {
    expect(trackerReference(tracker, definitions)).to.deep.equal({
      id: 101,
      uri: 'trackers/101',
      label: 'Bugs',
      color: 'fiesta-red',
      project: projectReference,
    });
  });

  it('has a structure even without any field', () => {
    expect(structureOf([])).to.deep.equal({
      id: 101,
      uri: 'trackers/101',
      html_url: '/plugins/tracker/?tracker=101',
      project: projectReference,
      label: 'Bugs',
      description: '',
      item_name: 'bug',
      fields: [],
      structure: [],
      semantics: {},
      notifications: { enabled: false },
      workflow: {
        field_id: 0,
        is_used: '0',
        is_legacy: false,
        is_advanced: false,
        rules: { dates: [], lists: [] },
        transitions: [],
      },
      permissions_for_groups: null,
      parent: null,
      resources: [
        { type: 'artifacts', uri: 'trackers/101/artifacts' },
        { type: 'reports', uri: 'trackers/101/tracker_reports' },
        { type: 'used_artifact_links', uri: 'trackers/101/used_artifact_links' },
        { type: 'parent_artifacts', uri: 'trackers/101/parent_artifacts' },
      ],
      color_name: 'fiesta-red',
    });
  });

  it('lists all readable elements flat, and nests them in the form', () => {
    const { fields, structure } = structureOf([
      fieldOf(500, 'fieldset', {
        fields: [
          fieldOf(501, 'column', { fields: [status, internal] }),
          fieldOf(506, 'column', { used: false, fields: [fieldOf(507, 'int')] }),
        ],
      }),
      fieldOf(508, 'aid'),
      fieldOf(509, 'string', { used: false }),
    ]);
    expect(fields.map(({ field_id }) => field_id)).to.deep.equal([500, 501, 502, 507, 508]);
    expect(structure).to.deep.equal([
      {
        id: 500,
        content: [
          {
            id: 501,
            content: [{ id: 502, content: null }],
          },
          { id: 507, content: null },
        ],
      },
      { id: 508, content: null },
    ]);
  });

  it('tells the semantics of readable fields, and leaves the others out', () => {
    const semantics = { title: 503, status: { field: 502, open: [504] }, contributor: 999 };
    expect(structureOf([status, internal], bob, { semantics }).semantics).to.deep.equal({
      status: { field_id: 502, value_ids: [504] },
    });
    expect(structureOf([status, internal], alice, { semantics }).semantics).to.deep.equal({
      title: { field_id: 503 },
      status: { field_id: 502, value_ids: [504] },
    });
  });

  it('tells its workflow to those who read the field', () => {
    const workflow = { field: 502, transitions: [{ id: 9, from: null, to: 504 }] };
    expect(structureOf([status], bob, { workflow }).workflow).to.deep.equal({
      field_id: 502,
      is_used: '1',
      is_legacy: false,
      is_advanced: false,
      rules: { dates: [], lists: [] },
      transitions: [{ id: 9, from_id: null, to_id: 504 }],
    });
    expect(structureOf([internal], bob, { workflow: { ...workflow, field: 503 } }).workflow).to.equal(null);
    expect(structureOf([status], bob, { workflow: { ...workflow, field: 999 } }).workflow).to.include({ is_used: '0' });
  });

  it('tells the permissions of groups to its administrators, and none of containers', () => {
    const containers = [fieldOf(509, 'fieldset'), fieldOf(510, 'column')];
    const { permissions_for_groups, fields } = structureOf([status, fieldOf(508, 'aid'), ...containers], bob, {
      admins: { users: [bob.id], groups: [105, 999] },
    });
    expect(permissions_for_groups).to.have.keys(
      'can_access',
      'can_access_submitted_by_user',
      'can_access_assigned_to_group',
      'can_access_submitted_by_group',
      'can_admin',
    );
    expect(permissions_for_groups?.can_admin.map(({ id }) => id)).to.deep.equal(['105']);
    const ofStatus = fields[0]?.permissions_for_groups;
    expect(ofStatus?.can_read.map(({ id }) => id)).to.deep.equal([String(ALL_USERS)]);
    expect(ofStatus?.can_submit.map(({ id }) => id)).to.deep.equal([String(REGISTERED_USERS)]);
    expect(ofStatus?.can_update.map(({ id }) => id)).to.deep.equal([`110_${PROJECT_MEMBERS}`]);
    expect(fields[1]?.permissions_for_groups).to.deep.include({ can_submit: [], can_update: [] });
    expect(fields.slice(2).map((container) => container.permissions_for_groups)).to.deep.equal([null, null]);
  });
});

describe('a field of a tracker', () => {
  it('has the same members for every type', () => {
    expect(fieldAs(fieldOf(501, 'string', { name: 'title', label: 'Title', required: true }))).to.deep.equal({
      field_id: 501,
      label: 'Title',
      name: 'title',
      type: 'string',
      values: null,
      required: true,
      collapsed: false,
      bindings: { type: null, list: [] },
      permissions: ['read', 'update', 'create'],
      permissions_for_groups: null,
      default_value: '',
      has_notifications: false,
      is_used: true,
      description: '',
      specific_properties: { maxchars: 0, size: 30, default_value: '' },
      label_decorators: [],
    });
  });

  it('is writable for whom it says, if it is written at all', () => {
    const outsider = userOf(117);
    expect(fieldAs(fieldOf(501, 'string'), outsider)['permissions']).to.deep.equal(['read', 'create']);
    expect(fieldAs(fieldOf(501, 'subon'))['permissions']).to.deep.equal(['read']);
    const open = fieldOf(501, 'string', {
      permissions: { read: [ALL_USERS], submit: [ALL_USERS], update: [ALL_USERS] },
    });
    const tracker = trackerOf([open]);
    const definitions = definitionsOf({ trackers: [tracker] });
    const { fields } = trackerStructure(tracker, definitions, viewer(definitions, null));
    expect(fields[0]?.toJSON().permissions).to.deep.equal(['read']);
  });

  it('has the default of its type', () => {
    const defaultOf = (field: Field) => fieldAs(field)['default_value'];
    expect(defaultOf(fieldOf(501, 'string', { default: 'a' }))).to.equal('a');
    expect(defaultOf(fieldOf(501, 'text'))).to.deep.equal({ format: 'text', content: '' });
    expect(defaultOf(fieldOf(501, 'text', { default: { text: 'a', format: 'html' } }))).to.deep.equal({
      format: 'html',
      content: 'a',
    });
    expect(defaultOf(fieldOf(501, 'int', { default: 0 }))).to.equal(0);
    expect(defaultOf(fieldOf(501, 'float'))).to.equal(null);
    expect(defaultOf(fieldOf(501, 'date', { default: { date: '2024-03-05' } }))).to.equal('2024-03-05');
    expect(defaultOf(fieldOf(501, 'date'))).to.equal('');
    expect(defaultOf(fieldOf(501, 'computed', { default: { manual: 5.2 } }))).to.deep.equal({
      type: 'manual_value',
      value: 5.2,
    });
    expect(defaultOf(fieldOf(501, 'computed', { default: { auto: true } }))).to.equal(null);
    expect(defaultOf(fieldOf(501, 'art_link'))).to.equal(null);
    expect(defaultOf(status)).to.deep.equal([{ id: 504, label: 'New' }]);
    expect(defaultOf(fieldOf(501, 'sb', { bind: 'users', default: [bob.id] }))).to.have.nested.property('[0].id', 115);
    expect(defaultOf(fieldOf(501, 'sb', { bind: 'user_groups', default: [3] }))).to.have.nested.property(
      '[0].id',
      '110_3',
    );
    const open = fieldOf(501, 'tbl', {
      bind: 'static',
      values: [listValueOf(504)],
      default: [{ bound: 504 }, { open: 2, label: 'x' }, { bound: 999 }],
    });
    expect(defaultOf(open)).to.deep.equal([
      { id: 504, label: 'Value 504' },
      { id: 'o2', label: 'x' },
    ]);
  });

  it('lists its values, hidden ones and those that users added too', () => {
    expect(fieldAs(status)['values']).to.deep.equal([
      { id: 504, label: 'New', is_hidden: false, value_color: 'fiesta-red' },
      { id: 505, label: 'Done', is_hidden: true, value_color: '' },
    ]);
    const tags = fieldOf(510, 'tbl', { bind: 'static', values: [listValueOf(511)] });
    expect(fieldAs(tags, bob, { openValues: { 510: [{ number: 12, label: 'x' }] } })['values']).to.deep.equal([
      { id: 511, label: 'Value 511', is_hidden: false, value_color: '' },
      { id: 'o12', label: 'x', is_hidden: false, value_color: '' },
    ]);
  });

  it('lists the active users of the groups that it is bound to', () => {
    const assigned = fieldAs(fieldOf(503, 'msb', { bind: 'users', from: [PROJECT_MEMBERS] }));
    expect(assigned['bindings']).to.deep.equal({ type: 'users', list: [{ id: 3, label: 'project_members' }] });
    expect(assigned['values']).to.have.length(2);
    expect(assigned['values']).to.have.nested.property('[0].label', 'alice');
    expect(assigned['values'])
      .to.have.nested.property('[1].user_reference')
      .that.has.all.keys('id', 'uri', 'real_name', 'username', 'avatar_url');
    const everybody = fieldAs(fieldOf(503, 'msb', { bind: 'users', from: [ALL_USERS, REGISTERED_USERS] }));
    expect(everybody['values']).to.deep.equal([]);
    expect(everybody['bindings']).to.have.nested.property('list[1].label', 'registered_users');
    const anybody = fieldAs(fieldOf(503, 'tbl', { bind: 'users', from: [REGISTERED_USERS] }));
    expect(anybody['values']).to.deep.equal({ resource: { type: 'users', uri: 'users/?query=' } });
  });

  it('lists the groups that it is bound to, as long as there are any', () => {
    const team = fieldAs(fieldOf(503, 'sb', { bind: 'user_groups', from: [105, 999, PROJECT_ADMINS] }));
    expect(team['bindings']).to.deep.equal({ type: 'ugroups', list: [] });
    expect(team['values']).to.have.nested.property('[0].ugroup_reference.uri', 'user_groups/105');
    expect(team['values']).to.have.nested.property('[1].ugroup_reference.uri', 'user_groups/110_4');
    const open = fieldAs(fieldOf(503, 'tbl', { bind: 'user_groups', from: [105, 999, PROJECT_ADMINS] }));
    expect(open['values']).to.deep.equal(userGroups(project, [105, PROJECT_ADMINS]));
    expect(open['bindings']).to.deep.equal({ type: 'ugroups', list: [] });
  });

  it('offers every group where it restricts who sees an artifact', () => {
    const who = fieldAs(fieldOf(503, 'perm', { default: [105] }))['values'];
    expect(who).to.have.property('is_used_by_default', true);
    expect(who).to.have.property('ugroup_representations').with.length(5);
  });

  it('adds what its type needs', () => {
    expect(fieldAs(fieldOf(501, 'date', { time: true }))).to.have.property('is_time_displayed', true);
    expect(fieldAs(fieldOf(501, 'lud'))).to.have.property('is_time_displayed', true);
    expect(fieldAs(fieldOf(501, 'file', { maxSize: 7 }))).to.include({ max_size_upload: 7 });
    expect(fieldAs(fieldOf(501, 'tbl', { bind: 'static' }))).to.have.property('hint');
    const linkTypes = [{ shortname: 'fixed_in', forwardLabel: 'Fixed in', reverseLabel: 'Fixes' }];
    expect(fieldAs(fieldOf(501, 'art_link'), bob, { platform: { linkTypes } })['allowed_types']).to.deep.equal([
      { shortname: '', forward_label: '', reverse_label: '' },
      { shortname: '_is_child', forward_label: 'Child', reverse_label: 'Parent' },
      { shortname: 'fixed_in', forward_label: 'Fixed in', reverse_label: 'Fixes' },
    ]);
  });
});
