/** What the routes of users take and what the representations look like: artifacts and groups hold users too. */
import { type SchemaObject } from 'ajv';
import { described, FLAG, NUMBER, objectOf, orNull, TEXT } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';

export interface SelfOrId {
  readonly id: string;
}

export const selfOrId: SchemaObject = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^(self|[0-9]+)$', examples: ['self', '101'] } },
  required: ['id'],
};

export const SEARCH_MAX = 50;

export interface SearchQuery extends PageQuery {
  readonly query: string;
}

export const searchQuery: SchemaObject = {
  ...pageQuery(10, SEARCH_MAX, {
    query: { type: 'string', description: 'A part of a name, at least 3 characters, or JSON' },
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

/** Null where nobody is known: anonymous readers, or operations. */
export const userSchema = objectOf(user);

const seenSignedIn = {
  email: described('Only for readers who have signed in', TEXT),
  status: described('A: active, S: suspended. Only for readers who have signed in', TEXT),
};

export const fullUserSchema: SchemaObject = objectOf({ ...user, ...seenSignedIn }, Object.keys(seenSignedIn));
