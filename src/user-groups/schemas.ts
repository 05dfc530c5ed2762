/** What the routes of user groups take, and what they answer. */
import { type SchemaObject } from 'ajv';
import { described, EMPTY, listOf, named, objectOf, orNull } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';
import { ID_IN_BODY } from '../http/validate.js';
import { jsonText } from '../http/json-parameter.js';
import { groupHeading, minimalProjectSchema } from '../projects/schemas.js';

export const TAG: Tag = {
  name: 'User groups',
  description: 'The members, the administrators and the own groups of a project.',
};

export interface RestId {
  readonly id: string;
}

export const restId: SchemaObject = {
  type: 'object',
  properties: {
    id: {
      type: 'string',
      pattern: '^[0-9]{1,15}(_[0-9]{1,15})?$',
      examples: ['101_3', '105'],
      description:
        'The id of the group: `102` or `101_102`, `101_3` for the members and `101_4` for the administrators of project 101',
    },
  },
  required: ['id'],
};

const nothing = described('An empty list', listOf(EMPTY));

export const listedGroupSchema = named(
  'GroupOfProject',
  objectOf({ ...groupHeading, additional_information: nothing }),
);

export const wholeGroupSchema = named(
  'WholeUserGroup',
  objectOf({
    ...groupHeading,
    project: described('Null for a group that every project shares', orNull(minimalProjectSchema)),
    additional_information: nothing,
  }),
);

export const MEMBERS_MAX = 50;

/** Of a list that can be narrowed. */
export interface NarrowedQuery extends PageQuery {
  readonly query?: string;
}

export const membersQuery = pageQuery(10, MEMBERS_MAX, {
  query: jsonText(
    'JSON: `{"identifier": "…"}` leaves the member who has this user name, email address or display name',
  ),
});

export const GROUPS_MAX = 1000;

export const groupsQuery = pageQuery(100, GROUPS_MAX, {
  query: jsonText('JSON: `{"with_system_user_groups": true}` adds the groups that all projects share'),
});

/** How a body names a user. */
export const KINDS = ['id', 'username', 'email'] as const;
export type Kind = (typeof KINDS)[number];

export type UserReference = Readonly<Partial<Record<Kind, number | string | null>>>;

const MAX_MEMBERS = 5000;

const reference: SchemaObject = {
  type: 'object',
  minProperties: 1,
  properties: {
    id: { ...ID_IN_BODY, type: ['integer', 'string', 'null'] },
    username: { type: 'string', minLength: 1, nullable: true },
    email: { type: 'string', minLength: 1, nullable: true },
  },
  description: 'Exactly one of these members is not null. Other members are ignored.',
};

const references: SchemaObject = { type: 'array', maxItems: MAX_MEMBERS, items: reference };

const wrapped: SchemaObject = {
  type: 'object',
  required: ['user_references'],
  additionalProperties: false,
  properties: { user_references: references },
};

/** The list itself, or an object that holds it: Tuleap takes both. */
export type MembersBody = readonly UserReference[] | { readonly user_references: readonly UserReference[] };

export const membersBody: SchemaObject = {
  ...references,
  ...wrapped,
  type: ['array', 'object'],
  published: { anyOf: [references, wrapped] },
  description: 'All members of the group. Each is named in the same way: by id, by username or by email.',
};
