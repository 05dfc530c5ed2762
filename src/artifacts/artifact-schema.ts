/** What the representation of an artifact looks like: apart, because many routes answer with it. */
import { described, FLAG, listOf, NUMBER, OBJECT, objectOf, orNull, TEXT } from '../http/openapi/response-schema.js';
import { projectReferenceSchema } from '../projects/schemas.js';
import { minimalTrackerSchema, trackerSchema } from '../trackers/schemas.js';
import { userSchema } from '../users/schemas.js';

const valueSchema = objectOf({ field_id: NUMBER, type: TEXT, label: TEXT });

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
  full_status: orNull(objectOf({ value: TEXT, color: orNull(TEXT) })),
  is_open: FLAG,
  title: orNull(TEXT),
  assignees: listOf(userSchema),
});
