/** What the routes of svn take, for their validation and for the description of the API. */
import { type SchemaObject } from 'ajv';
import { described, FLAG, lineOf, listOf, named, NUMBER, objectOf, TEXT } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';
import { minimalProjectSchema, userGroupSchema } from '../projects/schemas.js';
import { userSchema } from '../users/schemas.js';
import { jsonText } from '../http/json-parameter.js';
import { ID_IN_BODY } from '../http/validate.js';

export const TAG: Tag = { name: 'Svn', description: 'Names and settings of svn repositories.' };

/** By its id, alone or in an object, as answers show a user or a group. */
export type Recipient = number | string | { readonly id: number | string };

export interface NotificationBody {
  readonly path: string;
  readonly emails: readonly string[];
  readonly users: readonly Recipient[];
  readonly user_groups: readonly Recipient[];
}

export interface SettingsBody {
  readonly commit_rules: {
    readonly is_reference_mandatory: boolean;
    readonly is_commit_message_change_allowed: boolean;
  };
  readonly immutable_tags: { readonly paths: readonly string[]; readonly whitelist: readonly string[] };
  readonly access_file: string;
  readonly email_notifications: readonly NotificationBody[];
  readonly has_default_permissions?: boolean;
}

export type OptionalSettings = { readonly [Name in keyof SettingsBody]?: SettingsBody[Name] | null };

export interface CreateBody {
  readonly project_id: number | string;
  readonly name: string;
  readonly settings?: OptionalSettings | null;
}

export interface ReplaceBody {
  readonly settings: SettingsBody;
}

const MAX_ITEMS = 1000;
const texts: SchemaObject = { type: 'array', items: { type: 'string' } };

function recipients(description: string, pattern: string, ...examples: readonly string[]): SchemaObject {
  const id = { type: ['integer', 'string'], minimum: 1, maximum: Number.MAX_SAFE_INTEGER, pattern, examples };
  const shown = { type: 'object', required: ['id'], properties: { id } };
  const items = { ...id, ...shown, type: [...id.type, shown.type], published: { anyOf: [id, shown] } };
  return {
    type: 'array',
    maxItems: MAX_ITEMS,
    items,
    description: `${description}. Objects with an \`id\` are taken, too.`,
  };
}

const path = lineOf('From the root of the repository', { start: '/' });
const paths: SchemaObject = { type: 'array', items: path };

const EMAILS = { type: 'array', maxItems: MAX_ITEMS, uniqueItems: true, items: { type: 'string', format: 'email' } };

const notification: SchemaObject = {
  type: 'object',
  required: ['path', 'emails', 'users', 'user_groups'],
  properties: {
    path,
    emails: { ...texts, maxItems: MAX_ITEMS, published: EMAILS },
    users: recipients('Ids of active users', '^[1-9][0-9]{0,14}$', '101'),
    user_groups: recipients(
      'Ids of groups of the project: `105` or `101_105`, `101_3` for its members, `101_4` for its administrators',
      '^[1-9][0-9]{0,14}(_[1-9][0-9]{0,14})?$',
      '101_3',
      '105',
    ),
  },
};

const settings = {
  type: 'object',
  properties: {
    commit_rules: {
      type: 'object',
      required: ['is_reference_mandatory', 'is_commit_message_change_allowed'],
      properties: {
        is_reference_mandatory: { type: 'boolean' },
        is_commit_message_change_allowed: { type: 'boolean' },
      },
    },
    immutable_tags: {
      type: 'object',
      required: ['paths', 'whitelist'],
      properties: { paths, whitelist: paths },
      description: 'Paths from the root of the repository. A list takes at most 65,535 bytes.',
    },
    access_file: { type: 'string', description: "In the syntax of svn's authz files, at most 262,144 bytes" },
    email_notifications: { type: 'array', maxItems: MAX_ITEMS, items: notification },
    has_default_permissions: { type: 'boolean' },
  },
};

const layout: SchemaObject = { ...texts, description: 'The first directories of the repository' };

const optional = Object.entries({ ...settings.properties, layout }).map(
  ([name, schema]) => [name, { ...schema, nullable: true }] as const,
);

export const createBody: SchemaObject = {
  type: 'object',
  required: ['project_id', 'name'],
  properties: {
    project_id: ID_IN_BODY,
    name: { type: 'string', description: '3 to 255 characters: a letter, then letters, digits or any of `-_.`' },
    settings: { ...settings, nullable: true, properties: Object.fromEntries(optional) },
  },
};

export const replaceBody: SchemaObject = {
  type: 'object',
  required: ['settings'],
  properties: {
    settings: { ...settings, required: ['commit_rules', 'immutable_tags', 'access_file', 'email_notifications'] },
  },
};

export const LIST_MAX = 50;

export interface ListQuery extends PageQuery {
  readonly query?: string;
}

export const listQuery = pageQuery(10, LIST_MAX, {
  query: jsonText('JSON: `{"name": "…"}` leaves the repository of this name'),
});

const heading = {
  id: NUMBER,
  project: minimalProjectSchema,
  uri: TEXT,
  name: TEXT,
  svn_url: TEXT,
};

const shownSettings = objectOf({
  commit_rules: objectOf({ is_reference_mandatory: FLAG, is_commit_message_change_allowed: FLAG }),
  immutable_tags: objectOf({ paths: listOf(TEXT), whitelist: listOf(TEXT) }),
  access_file: TEXT,
  email_notifications: listOf(
    objectOf({ user_groups: listOf(userGroupSchema), users: listOf(userSchema), emails: listOf(TEXT), path: TEXT }),
  ),
  has_default_permissions: FLAG,
});

export const repositorySchema = named(
  'Repository',
  objectOf({ ...heading, settings: described('Only for administrators of the project', shownSettings) }, ['settings']),
);

export const repositoriesSchema = objectOf({ repositories: listOf(repositorySchema) });
