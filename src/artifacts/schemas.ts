/** What the routes of artifacts take and answer, for their validation and for the description of the API. */
import { type SchemaObject } from 'ajv';
import { orNull } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';
import { writtenByFieldSchema, writtenSchema } from './fields/input/schemas.js';
import { ID_IN_BODY } from '../http/validate.js';
import { jsonText } from '../http/json-parameter.js';

export const TAG: Tag = { name: 'Artifacts', description: 'An artifact holds a value for each field of its tracker.' };

/** The headers of writes with a precondition. */
export const CONDITIONS = {
  'If-Match': 'Etags of the artifact, with or without quotes, or `*`. If none is the present one, the status is 412.',
  'If-Unmodified-Since': 'The Last-Modified of the artifact. If the seconds differ, the status is 412.',
  'If-None-Match': 'Etags in quotes, or `*`. If one is that of the artifact, the status is 412.',
};

/** The least that a limit is on these pages, as in Tuleap. */
export const AT_LEAST_ONE = 1;

const MAX_VALUES = 1000;

const BY_FIELD = 'By field name, for texts, numbers and computed fields. An empty list counts as an empty object.';

export const MAX_FILTER_FIELDS = 30;

const values: SchemaObject = {
  type: 'array',
  maxItems: MAX_VALUES,
  items: { type: 'object', published: writtenSchema },
  description: 'One element for each field. The type of the field decides which members hold the value.',
};

export interface SubmitBody {
  readonly tracker: { readonly id: number | string };
  readonly values?: readonly unknown[] | null;
  /** An empty list has no members either: so PHP writes an empty object. */
  readonly values_by_field?: Readonly<Record<string, unknown>> | null;
  readonly from_artifact?: { readonly id: number | string } | null;
}

export const submitBody: SchemaObject = {
  type: 'object',
  required: ['tracker'],
  properties: {
    tracker: { type: 'object', required: ['id'], properties: { id: ID_IN_BODY } },
    values: { ...values, nullable: true },
    values_by_field: {
      type: ['object', 'array'],
      nullable: true,
      maxProperties: MAX_VALUES,
      maxItems: 0,
      published: { ...orNull(writtenByFieldSchema), maxProperties: MAX_VALUES, description: BY_FIELD },
    },
    from_artifact: {
      type: 'object',
      nullable: true,
      required: ['id'],
      properties: { id: ID_IN_BODY },
      description: 'An artifact whose title the new one takes. Defaults fill the other fields.',
    },
  },
};

export interface ChangeBody {
  readonly values: readonly unknown[];
  readonly comment?: { readonly body?: string; readonly format?: string; readonly ugroups?: unknown } | null;
}

export const changeBody: SchemaObject = {
  type: 'object',
  required: ['values'],
  properties: {
    values,
    comment: {
      type: 'object',
      nullable: true,
      properties: {
        body: {
          type: 'string',
          description: 'Kept without the white space around it. A body of white space alone is no comment.',
        },
        format: { type: 'string', maxLength: 100, description: '`text`, `html` or `commonmark`' },
        ugroups: { description: 'Empty or null: a comment is for all who may read the artifact' },
      },
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
    values_format: {
      enum: ['', 'collection', 'by_field', 'all'],
      default: 'collection',
      description: 'Which of `values` and `values_by_field` the answer has',
    },
    tracker_structure_format: {
      enum: ['', 'minimal', 'complete'],
      default: 'minimal',
      description: 'Whether `tracker` has the fields',
    },
    revision: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The number in the Etag that the artifact had',
    },
    at: {
      type: 'string',
      format: 'date-time',
      description:
        'The answer is the artifact after its last event up to this instant. Without a fraction, it stands for its whole second.',
    },
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
  description: `Leaves the artifacts that were ${what} in the second of this instant or later`,
});

export const SINCE = { modified_since: instant('last modified'), created_since: instant('created') };

export const MANY_MAX = 100;

export interface ManyQuery extends PageQuery, Since {
  readonly query?: string;
}

export const manyQuery = pageQuery(
  MANY_MAX,
  MANY_MAX,
  { query: jsonText('JSON: `{"id": [1, 2]}`, at most 100 ids'), ...SINCE },
  AT_LEAST_ONE,
);

/** Of events. */
export const ORDER: SchemaObject = { enum: ['asc', 'desc'], default: 'asc', description: '`asc`: the oldest first' };

export const CHANGESETS_MAX = 50;

export interface ChangesetsQuery extends PageQuery {
  readonly fields: 'all' | 'comments';
  readonly order: 'asc' | 'desc';
}

export const changesetsQuery = pageQuery(
  10,
  CHANGESETS_MAX,
  {
    fields: {
      enum: ['all', 'comments'],
      default: 'all',
      description: '`comments` leaves the changesets with a comment, without values',
    },
    order: ORDER,
  },
  AT_LEAST_ONE,
);
