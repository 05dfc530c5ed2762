/** What the routes of trackers take and what the representations look like: those of artifacts hold them too. */
import {
  described,
  EMPTY,
  FLAG,
  listOf,
  named,
  NOTHING,
  NUMBER,
  objectOf,
  oneOf,
  orNull,
  TEXT,
} from '../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../http/pages/pagination.js';
import { type Tag } from '../http/route.js';
import { projectReferenceSchema, resourcesSchema, userGroupSchema } from '../projects/schemas.js';
import { fieldSchema } from './field-types/schemas.js';
import { jsonText } from '../http/json-parameter.js';

export { listValueSchema } from './field-types/schemas.js';

export const TAG: Tag = { name: 'Trackers', description: 'A tracker defines the fields of its artifacts.' };

export const REPORTS: Tag = { name: 'Reports', description: 'Queries that the definition of a tracker names.' };

export const TRACKERS_MAX = 50;

export interface TrackersQuery extends PageQuery {
  readonly query?: string;
  readonly representation: 'full' | 'minimal';
  readonly with_creation_semantic_check?: 'title';
}

export const trackersQuery = pageQuery(10, TRACKERS_MAX, {
  query: jsonText('JSON: `{"is_tracker_admin": true}` leaves the trackers that the reader administers'),
  representation: { enum: ['full', 'minimal'], default: 'full', description: 'Whether the answer has the fields' },
  with_creation_semantic_check: {
    enum: ['title'],
    description:
      'With `representation=minimal`: `cannot_create_reasons` holds each reason why the reader cannot create an artifact by its title alone',
  },
});

export const VALUES_MAX = 1000;

export const valuesQuery = pageQuery(100, VALUES_MAX);

export const REPORTS_MAX = 1000;

export const reportsQuery = pageQuery(10, REPORTS_MAX, {}, 1);

const reference = { id: NUMBER, uri: TEXT, label: TEXT, project: projectReferenceSchema };

export const minimalTrackerSchema = named(
  'MinimalTracker',
  objectOf({ ...reference, color_name: TEXT, cannot_create_reasons: NOTHING }),
);

/** As the list of a project holds it. */
export const listedTrackerSchema = named(
  'ListedTracker',
  objectOf({
    ...reference,
    color_name: TEXT,
    cannot_create_reasons: described('Empty without `with_creation_semantic_check`', listOf(TEXT)),
  }),
);

/** As the references to artifacts hold it. */
export const trackerReferenceSchema = named('TrackerReference', objectOf({ ...reference, color: TEXT }));

export const reportSchema = named(
  'Report',
  objectOf({
    id: NUMBER,
    uri: TEXT,
    label: TEXT,
    is_public: described('Other reports are for administrators of the tracker', FLAG),
    is_default: described('At most one report of a tracker is the default', FLAG),
    resources: resourcesSchema,
  }),
);

const semanticsSchema = described(
  'What some fields mean. Fields that the reader may not read are absent.',
  objectOf(
    {
      title: objectOf({ field_id: NUMBER }),
      description: objectOf({ field_id: NUMBER }),
      status: objectOf({ field_id: NUMBER, value_ids: described('The values that mean open', listOf(NUMBER)) }),
      contributor: objectOf({ field_id: NUMBER }),
    },
    ['title', 'description', 'status', 'contributor'],
  ),
);

const workflowSchema = described(
  'Null for readers who may not read its field',
  orNull(
    objectOf({
      field_id: described('0 without a workflow', NUMBER),
      is_used: oneOf('0', '1'),
      is_legacy: FLAG,
      is_advanced: FLAG,
      rules: objectOf({ dates: listOf(EMPTY), lists: listOf(EMPTY) }),
      transitions: listOf(
        objectOf({ id: NUMBER, from_id: described('Null for a new artifact', orNull(NUMBER)), to_id: NUMBER }),
      ),
    }),
  ),
);

const groups = listOf(userGroupSchema);

/** Refers to itself: each container holds nodes. */
const formNodeSchema = named(
  'FormNode',
  objectOf({
    id: NUMBER,
    content: described(
      'Null for a field that is no container',
      orNull(listOf({ $ref: '#/components/schemas/FormNode' })),
    ),
  }),
);

export const trackerSchema = named(
  'Tracker',
  objectOf({
    id: NUMBER,
    uri: TEXT,
    html_url: TEXT,
    project: projectReferenceSchema,
    label: TEXT,
    description: TEXT,
    item_name: TEXT,
    fields: described('Every form element that the reader may read, containers included', listOf(fieldSchema)),
    structure: described('The form as a tree of ids', listOf(formNodeSchema)),
    semantics: semanticsSchema,
    notifications: objectOf({ enabled: FLAG }),
    workflow: workflowSchema,
    permissions_for_groups: described(
      'Only for administrators of the tracker',
      orNull(
        objectOf({
          can_access: groups,
          can_access_submitted_by_user: groups,
          can_access_assigned_to_group: groups,
          can_access_submitted_by_group: groups,
          can_admin: groups,
        }),
      ),
    ),
    parent: NOTHING,
    resources: resourcesSchema,
    color_name: TEXT,
  }),
);
