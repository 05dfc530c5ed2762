import { EMAIL_ADDRESS } from '../../core/text/email-address.js';
import { DEFAULTS } from './defaults.js';
import { fieldSchema, type Defs } from './field-schema.js';
import { flagOrNull, label, named, names, textOrNull } from './leaf-schemas.js';
import { type Shape } from './schema-shape.js';
import { trackerSchema } from './tracker-schema.js';

const status = { enum: ['active', 'suspended', null], default: DEFAULTS.status } as const;

const settings = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    anonymous_access: {
      ...flagOrNull(DEFAULTS.anonymousAccess),
      description: 'false: every read needs a sign-in.',
    },
    artifact_deletion_limit: {
      description: 'Artifacts that a user may delete in 24 hours; 0 forbids deletion.',
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 1_000_000,
      default: DEFAULTS.artifactDeletionLimit,
    },
    archive_deleted_artifacts: flagOrNull(DEFAULTS.archiveDeletedArtifacts),
  },
  default: {},
} as const;

const linkType = {
  type: 'object',
  required: ['shortname', 'forward_label', 'reverse_label'],
  additionalProperties: false,
  properties: {
    shortname: named('^[A-Za-z][A-Za-z_]*$', 60, 'a letter, then letters and "_"'),
    forward_label: label,
    reverse_label: label,
  },
} as const;

const user = {
  description:
    'Key: username, the same in upper and lower case. A new user needs password or password_env; without either, a user who exists keeps the password.',
  type: 'object',
  required: ['username', 'real_name', 'email'],
  additionalProperties: false,
  properties: {
    username: named('^[A-Za-z0-9][A-Za-z0-9._-]*$', 60, 'a letter or digit, then letters, digits, ".", "_" and "-"'),
    real_name: label,
    email: named(EMAIL_ADDRESS, 254, 'an address such as ann@example.org'),
    password: { type: 'string', minLength: 1, maxLength: 1024 },
    password_env: {
      ...named('^[A-Za-z_][A-Za-z0-9_]*$', 255, 'the name of an environment variable, such as ANN_PASSWORD'),
      description: 'Environment variable that holds the password.',
    },
    site_admin: flagOrNull(DEFAULTS.siteAdmin),
    status,
  },
} as const;

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
} as const;

const project = {
  description: 'Key: shortname, the same in upper and lower case.',
  type: 'object',
  required: ['shortname', 'label'],
  additionalProperties: false,
  properties: {
    shortname: named('^[A-Za-z0-9][A-Za-z0-9_-]*$', 60, 'a letter or digit, then letters, digits, "_" and "-"'),
    label,
    description: textOrNull(DEFAULTS.description),
    access: {
      description: 'private: members and site administrators only.',
      enum: ['public', 'private', null],
      default: DEFAULTS.access,
    },
    status,
    admins: names('User names, all of them. Members too.'),
    members: names('User names, all of them.'),
    user_groups: { type: 'array', items: userGroup },
    svn: { ...flagOrNull(DEFAULTS.svn), description: 'Whether the project uses svn.' },
    trackers: { type: 'array', items: trackerSchema },
  },
} as const;

/** The published description of a platform file. What refers to something else in it is checked beyond the schema. */
export const platformSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Platform file',
  description:
    'Users, projects and trackers of a platform. An optional member that is not named stays as it is; a `default` holds in what is new, and for null. Users, projects, trackers, fields and groups that a list leaves out stay, unless pruned.',
  type: 'object',
  additionalProperties: false,
  properties: {
    settings,
    artifact_link_types: { type: 'array', items: linkType },
    users: { type: 'array', items: user },
    projects: { type: 'array', items: project },
  },
  $defs: { field: fieldSchema },
} as const;

/** Here and inside, a member that is undefined is not named, and stays as it is. Null sets it back to its default. */
export type PlatformFile = Shape<typeof platformSchema, Defs>;
export type LinkTypeEntry = Shape<typeof linkType>;
export type UserEntry = Shape<typeof user>;
export type UserGroupEntry = Shape<typeof userGroup>;
export type ProjectEntry = Shape<typeof project, Defs>;
