import { color, fieldSchema, groupLists, label, named, text } from './field-schema.js';

const usernames = { type: 'array', items: { type: 'string' }, uniqueItems: true, default: [] };
const status = { enum: ['active', 'suspended'] };

const settings = {
  type: 'object',
  additionalProperties: false,
  properties: {
    anonymous_access: { description: 'false: every read needs a sign-in.', type: 'boolean', default: true },
    artifact_deletion_limit: {
      description: 'Artifacts that a user may delete in 24 hours; 0 forbids deletion.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
    },
    archive_deleted_artifacts: { type: 'boolean', default: false },
  },
};

const linkType = {
  type: 'object',
  required: ['shortname', 'forward_label', 'reverse_label'],
  additionalProperties: false,
  properties: { shortname: named('^[A-Za-z][A-Za-z_]*$', 60), forward_label: label, reverse_label: label },
};

const user = {
  description:
    'Key: username, the same in upper and lower case. A new user needs password or password_env; without either, a user who exists keeps the password.',
  type: 'object',
  required: ['username', 'real_name', 'email'],
  additionalProperties: false,
  properties: {
    username: named('^[A-Za-z0-9][A-Za-z0-9._-]*$', 60),
    real_name: label,
    email: named('^[^\\s@]+@[^\\s@]+$', 254),
    password: { type: 'string', minLength: 1, maxLength: 1024 },
    password_env: {
      ...named('^[A-Za-z_][A-Za-z0-9_]*$', 255),
      description: 'Environment variable that holds the password.',
    },
    site_admin: { type: 'boolean', default: false },
    status: { ...status, default: 'active' },
  },
};

const userGroup = {
  description: 'Key: short_name.',
  type: 'object',
  required: ['short_name', 'label'],
  additionalProperties: false,
  properties: { short_name: named('^[A-Za-z0-9_-]+$', 60), label, members: usernames },
};

const semantics = {
  description: 'What some fields mean, by field name.',
  type: 'object',
  additionalProperties: false,
  properties: {
    title: { type: 'string' },
    description: { type: 'string' },
    status: {
      type: 'object',
      required: ['field', 'open'],
      additionalProperties: false,
      properties: {
        field: { type: 'string' },
        open: {
          description: 'Labels of the values that mean open.',
          type: 'array',
          items: { type: 'string' },
          uniqueItems: true,
        },
      },
    },
    contributor: { type: 'string' },
  },
};

const workflow = {
  description: 'Without it every transition is allowed.',
  type: 'object',
  required: ['field', 'transitions'],
  additionalProperties: false,
  properties: {
    field: { type: 'string' },
    transitions: {
      description: 'From and to, by label; null stands for a new artifact.',
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        prefixItems: [{ type: ['string', 'null'] }, { type: 'string' }],
      },
    },
  },
};

const tracker = {
  description: 'Key: item_name, within its project.',
  type: 'object',
  required: ['item_name', 'label', 'fields'],
  additionalProperties: false,
  properties: {
    item_name: named('^[A-Za-z0-9_]+$', 60),
    label,
    description: { ...text, default: '' },
    color_name: { ...color, default: 'inca-silver' },
    admins: { ...usernames, description: 'User names and groups.' },
    permissions: {
      ...groupLists({ access: ['all_users'], submit: ['registered_users'], update: ['project_members'] }),
      default: {},
    },
    fields: { description: 'In display order.', type: 'array', items: { $ref: '#/$defs/field' } },
    semantics: { ...semantics, default: {} },
    workflow,
  },
};

const project = {
  description: 'Key: shortname, the same in upper and lower case.',
  type: 'object',
  required: ['shortname', 'label'],
  additionalProperties: false,
  properties: {
    shortname: named('^[A-Za-z0-9][A-Za-z0-9_-]*$', 60),
    label,
    description: { ...text, default: '' },
    access: {
      description: 'private: members and site administrators only.',
      enum: ['public', 'private'],
      default: 'public',
    },
    status: { ...status, default: 'active' },
    admins: { ...usernames, description: 'Members too.' },
    members: usernames,
    user_groups: { type: 'array', items: userGroup, default: [] },
    svn: { description: 'Whether the project uses svn.', type: 'boolean', default: false },
    trackers: { type: 'array', items: tracker, default: [] },
  },
};

/** The published description of a platform file. What refers to something else in it is checked beyond the schema. */
export const platformSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Platform file',
  description: 'Users, projects and trackers of a platform. What the file does not list stays as it is, unless pruned.',
  type: 'object',
  additionalProperties: false,
  properties: {
    settings: { ...settings, default: {} },
    artifact_link_types: { type: 'array', items: linkType, default: [] },
    users: { type: 'array', items: user, default: [] },
    projects: { type: 'array', items: project, default: [] },
  },
  $defs: { field: fieldSchema },
};
