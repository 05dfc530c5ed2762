/** What the representations of artifacts look like. */
import {
  anyOf,
  described,
  FLAG,
  listOf,
  mapOf,
  named,
  NOTHING,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
} from '../../http/openapi/response-schema.js';
import { projectReferenceSchema } from '../../projects/schemas.js';
import { minimalTrackerSchema, trackerReferenceSchema, trackerSchema } from '../../trackers/schemas.js';
import { userSchema } from '../../users/schemas.js';
import { renderedText, valuesByFieldSchema, valueSchema } from '../fields/schemas.js';

export const fullStatusSchema = orNull(objectOf({ value: TEXT, color: orNull(TEXT) }));

/** What an artifact is called, and where it is. */
export const artifactNames = { id: NUMBER, uri: TEXT, xref: TEXT, html_url: TEXT };

export const createdSchema = named(
  'ArtifactReference',
  objectOf({ id: NUMBER, uri: TEXT, tracker: trackerReferenceSchema }),
);

export const titleSchema = described(
  'Null without a title field that the reader may read. HTML and Markdown have no markup here.',
  orNull(TEXT),
);

export const artifactSchema = named(
  'Artifact',
  objectOf({
    ...artifactNames,
    tracker: anyOf(trackerSchema, minimalTrackerSchema),
    project: orNull(projectReferenceSchema),
    submitted_by: orNull(NUMBER),
    submitted_by_user: userSchema,
    submitted_on: TEXT,
    changesets_uri: TEXT,
    values: described('Null unless the request asks for them', orNull(listOf(valueSchema))),
    values_by_field: described('Null unless the request asks for them', orNull(valuesByFieldSchema)),
    last_update_by: orNull(NUMBER),
    last_update_by_user: userSchema,
    last_modified_date: TEXT,
    status: described('The label of the status. Empty without a status.', TEXT),
    full_status: fullStatusSchema,
    is_open: FLAG,
    title: titleSchema,
    assignees: described('Those that the field of the contributors names', listOf(userSchema)),
  }),
);

export const collectionSchema = objectOf({ collection: listOf(artifactSchema) });

export type OutputFormat = 'nested' | 'flat' | 'flat_with_semicolon_string_array';

export const OUTPUT_FORMAT = {
  enum: ['nested', 'flat', 'flat_with_semicolon_string_array'] satisfies OutputFormat[],
  default: 'nested',
  description:
    'Whole artifacts, or rows of a table. `flat_with_semicolon_string_array` joins the labels of a list; if a label has a semicolon, the status is 400',
};

const cell = named('Cell', anyOf({ type: ['string', 'number', 'null'] }, listOf(TEXT)));

/** With one usual name: openapi-generator makes a class of it then, and a map without a class is no alternative in Java and Python. */
export const rowSchema = named('Row', { ...mapOf(cell), properties: { title: cell } });

export const rowsSchema = described(
  'Rows: values by field name. Users are display names; texts have no tags. Without links, files, permissions, and numbers that were never given',
  listOf(rowSchema),
);

export const changesetSchema = named(
  'Changeset',
  objectOf({
    id: described('The number of the changeset. The Etag after it is one less.', NUMBER),
    submitted_by: orNull(NUMBER),
    submitted_by_details: userSchema,
    submitted_on: TEXT,
    email: NOTHING,
    last_comment: objectOf({ body: TEXT, post_processed_body: TEXT, ...renderedText, ugroups: NOTHING }, [
      'commonmark',
    ]),
    values: listOf(valueSchema),
    last_modified_by: userSchema,
    last_modified_date: TEXT,
  }),
);
