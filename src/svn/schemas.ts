/** What the routes of svn take, for their validation and for the description of the API. */
import { type SchemaObject } from 'ajv';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';

export interface NotificationBody {
  readonly path: string;
  readonly emails: readonly string[];
  readonly users: readonly (number | string)[];
  readonly user_groups: readonly (number | string)[];
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

export interface CreateBody {
  readonly project_id: number;
  readonly name: string;
  readonly settings?: Partial<SettingsBody>;
}

export interface ReplaceBody {
  readonly settings: SettingsBody;
}

const MAX_ITEMS = 1000;
const texts: SchemaObject = { type: 'array', items: { type: 'string' } };
const ids = (pattern: string, ...examples: readonly string[]): SchemaObject => ({
  type: 'array',
  maxItems: MAX_ITEMS,
  items: { type: ['integer', 'string'], minimum: 1, maximum: Number.MAX_SAFE_INTEGER, pattern, examples },
});

const notification: SchemaObject = {
  type: 'object',
  required: ['path', 'emails', 'users', 'user_groups'],
  properties: {
    path: { type: 'string' },
    emails: { ...texts, maxItems: MAX_ITEMS },
    users: { ...ids('^[1-9][0-9]{0,14}$', '101'), description: 'Ids of active users' },
    user_groups: {
      ...ids('^[1-9][0-9]{0,14}(_[1-9][0-9]{0,14})?$', '101_3', '105'),
      description: 'Ids of groups of the project: <project>_3 for its members, <project>_4 for its administrators',
    },
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
      properties: { paths: texts, whitelist: texts },
      description: 'Paths from the root of the repository; each list takes 65,535 bytes at most',
    },
    access_file: { type: 'string', description: "In the syntax of svn's authz files, 262,144 bytes at most" },
    email_notifications: { type: 'array', maxItems: MAX_ITEMS, items: notification },
    has_default_permissions: { type: 'boolean' },
  },
};

const layout: SchemaObject = { ...texts, description: 'The first directories, for whoever makes the files' };

export const createBody: SchemaObject = {
  type: 'object',
  required: ['project_id', 'name'],
  properties: {
    project_id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    name: { type: 'string', description: '3 to 255 characters: a letter, then letters, digits or any of - _ .' },
    settings: { ...settings, properties: { ...settings.properties, layout } },
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
  query: { type: 'string', description: '{"name":"…"}: the repository with exactly this name' },
});
