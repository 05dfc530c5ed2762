/** What the routes of artifacts take and answer, for their validation and for the description of the API. */
import { type SchemaObject } from 'ajv';
import { described, FLAG, listOf, NUMBER, OBJECT, objectOf, orNull, TEXT } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { projectReferenceSchema } from '../projects/schemas.js';
import { minimalTrackerSchema, trackerSchema } from '../trackers/schemas.js';
import { userSchema } from '../users/schemas.js';

/** The least that a limit is on these pages, as in Tuleap. */
export const AT_LEAST_ONE = 1;

/** An id as some clients write it: in digits. */
const lenientId: SchemaObject = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: '^[1-9][0-9]{0,15}$',
  examples: [101],
};

const MAX_VALUES = 1000;

const values: SchemaObject = {
  type: 'array',
  maxItems: MAX_VALUES,
  items: { type: 'object' },
  description: 'One element per field: `field_id` and `value`, `bind_value_ids`, `links` and so on, as its type asks.',
};

export interface SubmitBody {
  readonly tracker: { readonly id: number | string };
  readonly values?: readonly unknown[] | null;
  readonly values_by_field?: Readonly<Record<string, unknown>> | null;
  readonly from_artifact?: { readonly id: number | string } | null;
}

export const submitBody: SchemaObject = {
  type: 'object',
  required: ['tracker'],
  properties: {
    tracker: { type: 'object', required: ['id'], properties: { id: lenientId } },
    values: { ...values, nullable: true },
    values_by_field: {
      type: 'object',
      nullable: true,
      maxProperties: MAX_VALUES,
      description: 'By field name, for plain fields.',
    },
    from_artifact: {
      type: 'object',
      nullable: true,
      required: ['id'],
      properties: { id: lenientId },
      description: 'In place of values: an artifact whose title the new one takes. Defaults fill the other fields.',
    },
  },
};

export interface ChangeBody {
  readonly values: readonly unknown[];
  readonly comment?: { readonly body?: string; readonly format?: string } | null;
}

export const changeBody: SchemaObject = {
  type: 'object',
  required: ['values'],
  properties: {
    values,
    comment: {
      type: 'object',
      nullable: true,
      properties: { body: { type: 'string' }, format: { type: 'string', maxLength: 100 } },
    },
  },
};

export interface OneQuery {
  readonly values_format: '' | 'collection' | 'by_field' | 'all';
  readonly tracker_structure_format: '' | 'minimal' | 'complete';
  readonly revision?: number;
  readonly at?: string;
}

export const oneQuery: SchemaObject = {
  type: 'object',
  properties: {
    values_format: { enum: ['', 'collection', 'by_field', 'all'], default: 'collection' },
    tracker_structure_format: { enum: ['', 'minimal', 'complete'], default: 'minimal' },
    revision: { type: 'integer', minimum: 0, description: 'The artifact as it was: the number in its Etag then' },
    at: { type: 'string', format: 'date-time', description: 'The artifact as it was at this instant' },
  },
};

/** Instants, beside a filter. */
export interface Since {
  readonly modified_since?: string | undefined;
  readonly created_since?: string | undefined;
}

const instant = (what: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  description: `Those that were ${what} in the second of this instant or later`,
});

export const SINCE = { modified_since: instant('last modified'), created_since: instant('created') };

export const MANY_MAX = 100;

export interface ManyQuery extends PageQuery, Since {
  readonly query?: string;
}

export const manyQuery = pageQuery(
  MANY_MAX,
  MANY_MAX,
  { query: { type: 'string', description: '{"id":[1,2]}, 100 ids at most' }, ...SINCE },
  AT_LEAST_ONE,
);

export const CHANGESETS_MAX = 50;

export interface ChangesetsQuery extends PageQuery {
  readonly fields: 'all' | 'comments';
  readonly order: 'asc' | 'desc';
}

export const changesetsQuery = pageQuery(
  10,
  CHANGESETS_MAX,
  { fields: { enum: ['all', 'comments'], default: 'all' }, order: { enum: ['asc', 'desc'], default: 'asc' } },
  AT_LEAST_ONE,
);

const valueSchema = objectOf({ field_id: NUMBER, type: TEXT, label: TEXT });

export const fullStatusSchema = orNull(objectOf({ value: TEXT, color: orNull(TEXT) }));

export const artifactSchema = objectOf({
  id: NUMBER,
  uri: TEXT,
  xref: TEXT,
  tracker: { anyOf: [minimalTrackerSchema, trackerSchema] },
  project: orNull(projectReferenceSchema),
  submitted_by: orNull(NUMBER),
  submitted_by_user: userSchema,
  submitted_on: described('ISO-8601 with offset', TEXT),
  html_url: TEXT,
  changesets_uri: TEXT,
  values: described(
    'Null unless asked for; of each field what its type has: `value`, `bind_value_ids`, `links` and so on',
    orNull(listOf(valueSchema)),
  ),
  values_by_field: described('Null unless asked for', orNull(OBJECT)),
  last_update_by: orNull(NUMBER),
  last_update_by_user: userSchema,
  last_modified_date: TEXT,
  status: described('Label of the value that the semantics call status; empty without', TEXT),
  full_status: fullStatusSchema,
  is_open: FLAG,
  title: orNull(TEXT),
  assignees: listOf(userSchema),
});
