import { DEFAULTS } from './defaults.js';
import { choiceOrNull, color, fieldSchema, groupLists, label, named, orNull, text } from './field-schema.js';

const names = (description: string) =>
  orNull({ description, type: 'array', items: { type: 'string' }, uniqueItems: true }, []);
const status = choiceOrNull(['active', 'suspended'], DEFAULTS.status);

const settings = {
  type: 'object',
  additionalProperties: false,
  properties: {
    anonymous_access: orNull(
      { description: 'false: every read needs a sign-in.', type: 'boolean' },
      DEFAULTS.anonymousAccess,
    ),
    artifact_deletion_limit: orNull(
      {
        description: 'Artifacts that a user may delete in 24 hours; 0 forbids deletion.',
        type: 'integer',
        minimum: 0,
        maximum: 1_000_000,
      },
      DEFAULTS.artifactDeletionLimit,
    ),
    archive_deleted_artifacts: orNull({ type: 'boolean' }, DEFAULTS.archiveDeletedArtifacts),
  },
};

const linkType = {
  type: 'object',
  required: ['shortname', 'forward_label', 'reverse_label'],
  additionalProperties: false,
  properties: {
    shortname: named('^[A-Za-z][A-Za-z_]*$', 60, 'a letter, then letters and "_"'),
    forward_label: label,
    reverse_label: label,
  },
};

const user = {
  description:
    'Key: username, the same in upper and lower case. A new user needs password or password_env; without either, a user who exists keeps the password.',
  type: 'object',
  required: ['username', 'real_name', 'email'],
  additionalProperties: false,
  properties: {
    username: named('^[A-Za-z0-9][A-Za-z0-9._-]*$', 60, 'a letter or digit, then letters, digits, ".", "_" and "-"'),
    real_name: label,
    email: named('^[^\\s@]+@[^\\s@]+$', 254, 'an address such as ann@example.org'),
    password: { type: 'string', minLength: 1, maxLength: 1024 },
    password_env: {
      ...named('^[A-Za-z_][A-Za-z0-9_]*$', 255, 'the name of an environment variable, such as ANN_PASSWORD'),
      description: 'Environment variable that holds the password.',
    },
    site_admin: orNull({ type: 'boolean' }, DEFAULTS.siteAdmin),
    status,
  },
};

const userGroup = {
  description: 'Key: short_name.',
  type: 'object',
  required: ['short_name', 'label'],
  additionalProperties: false,
  properties: {
    short_name: named('^[A-Za-z0-9_-]+$', 60, 'letters, digits, "_" and "-"'),
    label,
    members: names('User names, all of them.'),
  },
};

const semantics = {
  description: 'What some fields mean, by field name.',
  type: 'object',
  additionalProperties: false,
  properties: {
    title: orNull({ type: 'string' }),
    description: orNull({ type: 'string' }),
    status: orNull({
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
    }),
    contributor: orNull({ type: 'string' }),
  },
};

const workflow = {
  description: 'While it is null every transition is allowed.',
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
        $comment: 'write [from, to], with null as the first for a new artifact',
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
    item_name: named('^[A-Za-z0-9_]+$', 60, 'letters, digits and "_"'),
    label,
    description: orNull(text, DEFAULTS.description),
    color_name: orNull(color, DEFAULTS.trackerColor),
    admins: names('User names and groups, all of them.'),
    permissions: orNull(groupLists(DEFAULTS.trackerPermissions), {}),
    fields: {
      description: 'In display order. A field that is left out stays where it is, unless pruned.',
      type: 'array',
      items: { $ref: '#/$defs/field' },
    },
    semantics: orNull(semantics, {}),
    workflow: orNull(workflow),
  },
};

const project = {
  description: 'Key: shortname, the same in upper and lower case.',
  type: 'object',
  required: ['shortname', 'label'],
  additionalProperties: false,
  properties: {
    shortname: named('^[A-Za-z0-9][A-Za-z0-9_-]*$', 60, 'a letter or digit, then letters, digits, "_" and "-"'),
    label,
    description: orNull(text, DEFAULTS.description),
    access: {
      ...choiceOrNull(['public', 'private'], DEFAULTS.access),
      description: 'private: members and site administrators only.',
    },
    status,
    admins: names('User names, all of them. Members too.'),
    members: names('User names, all of them.'),
    user_groups: { type: 'array', items: userGroup },
    svn: orNull({ description: 'Whether the project uses svn.', type: 'boolean' }, DEFAULTS.svn),
    trackers: { type: 'array', items: tracker },
  },
};

/** The published description of a platform file. What refers to something else in it is checked beyond the schema. */
export const platformSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Platform file',
  description:
    'Users, projects and trackers of a platform. A member that is not named stays as it is; a `default` holds in what is new, and for null. Users, projects, trackers, fields and groups that a list leaves out stay, unless pruned.',
  type: 'object',
  additionalProperties: false,
  properties: {
    settings: orNull(settings, {}),
    artifact_link_types: { type: 'array', items: linkType },
    users: { type: 'array', items: user },
    projects: { type: 'array', items: project },
  },
  $defs: { field: fieldSchema },
};
