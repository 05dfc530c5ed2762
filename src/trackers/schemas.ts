/** What the routes of trackers take and what the representations look like: those of artifacts hold them too. */
import { type SchemaObject } from 'ajv';
import { described, FLAG, listOf, NUMBER, OBJECT, objectOf, orNull, TEXT } from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { projectReferenceSchema, resourcesSchema, userGroupSchema } from '../projects/schemas.js';

export const TRACKERS_MAX = 50;

export interface TrackersQuery extends PageQuery {
  readonly query?: string;
  readonly representation: 'full' | 'minimal';
}

export const trackersQuery = pageQuery(10, TRACKERS_MAX, {
  query: { type: 'string', description: '{"is_tracker_admin": true}: those that the reader administers' },
  representation: { enum: ['full', 'minimal'], default: 'full' },
});

export const VALUES_MAX = 1000;

export const valuesQuery = pageQuery(100, VALUES_MAX);

export const REPORTS_MAX = 1000;

export const reportsQuery = pageQuery(10, REPORTS_MAX, {}, 1);

const groups = listOf(userGroupSchema);

export const minimalTrackerSchema = objectOf({
  id: NUMBER,
  uri: TEXT,
  label: TEXT,
  color_name: TEXT,
  project: projectReferenceSchema,
  cannot_create_reasons: { type: 'null' },
});

export const listValueSchema = objectOf({
  id: described('Of the list, or `o` and a number', { type: ['integer', 'string'] }),
  label: TEXT,
  is_hidden: FLAG,
  value_color: TEXT,
});

export const reportSchema = objectOf({
  id: NUMBER,
  uri: TEXT,
  label: TEXT,
  is_public: described('Others are for those who administer the tracker', FLAG),
  is_default: described('Of at most one report of a tracker', FLAG),
  resources: resourcesSchema,
});

const fieldSchema = objectOf({
  field_id: NUMBER,
  label: TEXT,
  name: described('What a filter and `values_by_field` call the field', TEXT),
  type: described('sb, string, date and so on', TEXT),
  values: described(
    'Null but for lists, permissions and who wrote. Of the labels that users added to an open list the first 1,000: `GET /tracker_fields/{id}/values` has all',
    { type: ['array', 'object', 'null'] },
  ),
  required: FLAG,
  collapsed: FLAG,
  bindings: objectOf({
    type: { enum: ['static', 'users', 'ugroups', null] },
    list: listOf(objectOf({ id: NUMBER, label: TEXT })),
  }),
  permissions: described('Of the reader', listOf({ enum: ['read', 'update', 'create'] })),
  permissions_for_groups: described(
    'Only for administrators of the tracker',
    orNull(objectOf({ can_submit: groups, can_read: groups, can_update: groups })),
  ),
  default_value: described('As the type of the field has it', {}),
  has_notifications: FLAG,
  is_used: FLAG,
  description: TEXT,
  specific_properties: OBJECT,
  label_decorators: listOf(OBJECT),
});

const semanticsSchema = described(
  'What some fields mean; without those that the reader cannot read',
  objectOf(
    {
      title: objectOf({ field_id: NUMBER }),
      description: objectOf({ field_id: NUMBER }),
      status: objectOf({ field_id: NUMBER, value_ids: described('That mean open', listOf(NUMBER)) }),
      contributor: objectOf({ field_id: NUMBER }),
    },
    ['title', 'description', 'status', 'contributor'],
  ),
);

const workflowSchema = described(
  'Null for who cannot read its field',
  orNull(
    objectOf({
      field_id: described('0 without a workflow', NUMBER),
      is_used: { enum: ['0', '1'] },
      is_legacy: FLAG,
      is_advanced: FLAG,
      rules: objectOf({ dates: listOf(OBJECT), lists: listOf(OBJECT) }),
      transitions: listOf(
        objectOf({ id: NUMBER, from_id: described('Null: a new artifact', orNull(NUMBER)), to_id: NUMBER }),
      ),
    }),
  ),
);

export const trackerSchema: SchemaObject = objectOf({
  id: NUMBER,
  uri: TEXT,
  html_url: TEXT,
  project: projectReferenceSchema,
  label: TEXT,
  description: TEXT,
  item_name: TEXT,
  fields: described('Every form element that the reader can read, containers too', listOf(fieldSchema)),
  structure: described(
    'The form as a tree of ids; `content` is null where nothing can be inside',
    listOf(objectOf({ id: NUMBER, content: { type: ['array', 'null'] } })),
  ),
  semantics: semanticsSchema,
  notifications: objectOf({ enabled: FLAG }),
  workflow: workflowSchema,
  permissions_for_groups: described('Only for administrators of the tracker', orNull(OBJECT)),
  parent: { type: 'null' },
  resources: resourcesSchema,
  color_name: TEXT,
});
