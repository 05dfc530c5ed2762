/** How a tracker's representation tells its fields: what all types share, and what each adds. */
import { type SchemaObject } from 'ajv';
import {
  anyOf,
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
} from '../../http/openapi/response-schema.js';
import { userGroupSchema } from '../../projects/schemas.js';
import { fullUserSchema, userSchema } from '../../users/schemas.js';

const groups = listOf(userGroupSchema);

export const listValueSchema = named(
  'ListValue',
  objectOf({
    id: described('Of the list; or `o` and a number for a label that a user added', { type: ['integer', 'string'] }),
    label: TEXT,
    is_hidden: FLAG,
    value_color: TEXT,
  }),
);

const userValueSchema = named(
  'ListedUser',
  objectOf({
    id: NUMBER,
    label: TEXT,
    user_reference: objectOf({ id: NUMBER, uri: TEXT, real_name: TEXT, username: TEXT, avatar_url: TEXT }),
  }),
);

const groupValueSchema = named('ListedGroup', objectOf({ id: NUMBER, label: TEXT, ugroup_reference: userGroupSchema }));

const boundTo = objectOf({
  type: { enum: ['static', 'users', 'ugroups', null] },
  list: listOf(objectOf({ id: NUMBER, label: TEXT })),
});

const shared = {
  field_id: NUMBER,
  label: TEXT,
  name: described('The name of the field in filters and in `values_by_field`', TEXT),
  required: FLAG,
  collapsed: FLAG,
  bindings: boundTo,
  permissions: described('Of the reader', listOf(oneOf('read', 'update', 'create'))),
  permissions_for_groups: described(
    'Only for administrators of the tracker; null for containers',
    orNull(objectOf({ can_submit: groups, can_read: groups, can_update: groups })),
  ),
  has_notifications: FLAG,
  is_used: FLAG,
  description: TEXT,
  label_decorators: listOf(EMPTY),
};

interface Parts {
  readonly values?: SchemaObject;
  readonly default_value?: SchemaObject;
  readonly specific_properties?: SchemaObject;
}

/** A type without a part of its own has nothing there. */
function fieldOf(
  title: string,
  types: readonly string[],
  { values = NOTHING, default_value = NOTHING, specific_properties = EMPTY }: Parts = {},
  more: Readonly<Record<string, SchemaObject>> = {},
  optional: readonly string[] = [],
): SchemaObject {
  const parts = { values, default_value, specific_properties, ...more };
  return named(title, objectOf({ ...shared, type: oneOf(...types), ...parts }, optional));
}

const DECIMAL: SchemaObject = { type: ['number', 'null'] };
const sized = (default_value: SchemaObject) => objectOf({ maxchars: NUMBER, size: NUMBER, default_value });

const chosen = listOf(
  anyOf(fullUserSchema, userSchema, userGroupSchema, objectOf({ id: { type: ['integer', 'string'] }, label: TEXT })),
);

/** Of one kind. Clients that are generated cannot read alternatives of lists. */
const offered = described(
  'Of a list of users, without those of the groups `all_users` and `registered_users`',
  listOf(anyOf(listValueSchema, userValueSchema, groupValueSchema)),
);

const anyUser = objectOf({ resource: objectOf({ type: oneOf('users'), uri: TEXT }) });

const linkType = objectOf({ shortname: TEXT, forward_label: TEXT, reverse_label: TEXT });

const openListOf = (title: string, values: SchemaObject) =>
  fieldOf(
    title,
    ['tbl'],
    { values, default_value: chosen, specific_properties: objectOf({ hint: TEXT }) },
    { hint: TEXT },
  );

export const fieldSchema = named(
  'Field',
  anyOf(
    fieldOf(
      'ContainerField',
      ['fieldset', 'column'],
      {},
      { is_hidden: described('Only of a fieldset, in the complete tracker of an artifact', FLAG) },
      ['is_hidden'],
    ),
    fieldOf('StringField', ['string'], { default_value: TEXT, specific_properties: sized(TEXT) }),
    fieldOf('TextField', ['text'], {
      default_value: objectOf({ format: oneOf('text', 'html', 'commonmark'), content: TEXT }),
      specific_properties: objectOf({ rows: NUMBER, cols: NUMBER, default_value: TEXT }),
    }),
    fieldOf('NumberField', ['int', 'float'], { default_value: DECIMAL, specific_properties: sized(DECIMAL) }),
    fieldOf(
      'DateField',
      ['date'],
      {
        default_value: described('Empty without a default', TEXT),
        specific_properties: objectOf({ default_value: TEXT, display_time: FLAG }),
      },
      { is_time_displayed: FLAG },
    ),
    fieldOf('SelectionField', ['sb', 'rb', 'msb', 'cb'], { values: offered, default_value: chosen }),
    openListOf('OpenUserListField', described('The address of the search for users', anyUser)),
    openListOf(
      'OpenListField',
      described(
        'Of the labels that users added, the first 1,000. GET /tracker_fields/{id}/values has all.',
        listOf(anyOf(listValueSchema, userGroupSchema)),
      ),
    ),
    fieldOf('LinkField', ['art_link'], {}, { allowed_types: listOf(linkType) }),
    fieldOf('FileField', ['file'], {}, { file_creation_uri: TEXT, max_size_upload: described('In bytes', NUMBER) }),
    fieldOf('PermissionsField', ['perm'], {
      values: objectOf({ is_used_by_default: FLAG, ugroup_representations: groups }),
    }),
    fieldOf('ComputedField', ['computed'], {
      default_value: orNull(objectOf({ type: oneOf('manual_value'), value: { type: 'number' } })),
      specific_properties: objectOf({ default_value: DECIMAL }),
    }),
    fieldOf('NumberOfArtifactField', ['aid', 'atid']),
    fieldOf('TimeOfArtifactField', ['subon', 'lud'], {}, { is_time_displayed: FLAG }),
    fieldOf('UserOfArtifactField', ['subby', 'luby'], {
      values: described('Users whom a filter may name', listOf(userValueSchema)),
      default_value: listOf(EMPTY),
    }),
  ),
);
