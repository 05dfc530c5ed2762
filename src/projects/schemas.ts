/** What the routes of projects take and what the representations look like: those of trackers hold them too. */
import { type SchemaObject } from 'ajv';
import {
  described,
  EMPTY,
  FLAG,
  listOf,
  named,
  NUMBER,
  objectOf,
  oneOf,
  TEXT,
} from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';
import { jsonText } from '../http/json-parameter.js';

export const SEARCH_MAX = 50;

export interface SearchQuery extends PageQuery {
  readonly query?: string;
}

export const searchQuery: SchemaObject = pageQuery(10, SEARCH_MAX, {
  query: jsonText(
    'JSON: `{"shortname": "…"}`, `{"is_member_of": true}`, `{"is_admin_of": true}` or `{"is_tracker_admin": true}`',
  ),
});

export const TAG: Tag = { name: 'Projects', description: 'A project holds trackers, user groups and repositories.' };

export const resourcesSchema = described(
  'The resources below this one',
  listOf(
    named('Resource', objectOf({ type: TEXT, uri: described('Below the prefix: `projects/101/trackers`', TEXT) })),
  ),
);

/** What the representations of a project have in common. */
const projectHeading = {
  id: NUMBER,
  uri: TEXT,
  label: TEXT,
  label_without_icon: TEXT,
  shortname: TEXT,
  status: oneOf('active', 'suspended'),
  access: oneOf('public', 'private'),
  is_template: FLAG,
};

export const minimalProjectSchema = named('MinimalProject', objectOf(projectHeading));

export const projectSchema = named(
  'Project',
  objectOf({
    ...projectHeading,
    resources: resourcesSchema,
    additional_informations: described('An empty list', listOf(EMPTY)),
    is_member_of: described('Whether the reader is a member', FLAG),
    description: TEXT,
    additional_fields: listOf(EMPTY),
    icon: TEXT,
  }),
);

export const projectReferenceSchema = named(
  'ProjectReference',
  objectOf({ id: NUMBER, uri: TEXT, label: TEXT, icon: TEXT }),
);

/** What the representations of a user group have in common. */
export const groupHeading = {
  id: described('A number; the groups of members and administrators have the project before it: `101_3`', TEXT),
  uri: TEXT,
  label: TEXT,
  users_uri: TEXT,
  short_name: TEXT,
  key: TEXT,
};

export const userGroupSchema = named('UserGroup', objectOf(groupHeading));
