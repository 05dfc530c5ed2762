/** What the routes of projects take and what the representations look like: those of trackers hold them too. */
import { type SchemaObject } from 'ajv';
import { described, FLAG, listOf, NUMBER, objectOf, OBJECT, TEXT } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';

export const SEARCH_MAX = 50;

export interface SearchQuery extends PageQuery {
  readonly query?: string;
}

export const searchQuery: SchemaObject = pageQuery(10, SEARCH_MAX, {
  query: {
    type: 'string',
    description: '{"shortname": "…"}, {"is_member_of": true}, {"is_admin_of": true}, {"is_tracker_admin": true}',
  },
});

/** Sub-resources that are served. */
export const resourcesSchema = listOf(
  objectOf({ type: TEXT, uri: described('Below the prefix: projects/101/trackers', TEXT) }),
);

export const projectSchema = objectOf({
  id: NUMBER,
  uri: TEXT,
  label: TEXT,
  label_without_icon: TEXT,
  shortname: TEXT,
  status: { enum: ['active', 'suspended'] },
  access: { enum: ['public', 'private'] },
  is_template: FLAG,
  resources: resourcesSchema,
  additional_informations: described('An empty list where there are none', { type: ['array', 'object'] }),
  is_member_of: described('Whether the reader is a member', FLAG),
  description: TEXT,
  additional_fields: listOf(OBJECT),
  icon: TEXT,
});

export const projectReferenceSchema = objectOf({ id: NUMBER, uri: TEXT, label: TEXT, icon: TEXT });

export const userGroupSchema = objectOf({
  id: described('`<project>_<number>`, or the number alone where that says enough', TEXT),
  uri: TEXT,
  label: TEXT,
  users_uri: TEXT,
  short_name: TEXT,
  key: TEXT,
});
