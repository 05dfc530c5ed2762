/** What the routes of users take and what the representations look like: artifacts and groups hold users too. */
import { type SchemaObject } from 'ajv';
import {
  anyOf,
  described,
  FLAG,
  named,
  NUMBER,
  objectOf,
  oneOf,
  orNull,
  TEXT,
} from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';

export const TAG: Tag = { name: 'Users', description: 'The people who have an account.' };

export interface SelfOrId {
  readonly id: string;
}

export const selfOrId: SchemaObject = {
  type: 'object',
  properties: {
    id: {
      type: 'string',
      pattern: '^(self|[0-9]+)$',
      examples: ['self', '101'],
      description: 'An id, or `self` for the caller',
    },
  },
  required: ['id'],
};

export const SEARCH_MAX = 50;

export interface SearchQuery extends PageQuery {
  readonly query: string;
}

export const searchQuery: SchemaObject = {
  ...pageQuery(10, SEARCH_MAX, {
    query: {
      type: 'string',
      minLength: 3,
      description: 'At least 3 characters of a name. Or JSON: `{"username": "…"}` or `{"email": "…"}`.',
    },
  }),
  required: ['query'],
};

const user = {
  id: orNull(NUMBER),
  uri: orNull(TEXT),
  user_url: orNull(TEXT),
  real_name: orNull(TEXT),
  display_name: TEXT,
  username: orNull(TEXT),
  ldap_id: orNull(TEXT),
  avatar_url: TEXT,
  is_anonymous: FLAG,
  has_avatar: FLAG,
};

/** Null for a user who is not known: an anonymous one, or operations. */
export const userSchema = named('User', objectOf(user));

export const fullUserSchema = named(
  'FullUser',
  objectOf({ ...user, email: TEXT, status: described('A: active, S: suspended', oneOf('A', 'S')) }),
);

/** Address and status are for readers who have signed in. */
export const shownUserSchema = anyOf(fullUserSchema, userSchema);
