/** The value of a field as answers hold it: what all types share, and what each adds. */
import { type SchemaObject } from 'ajv';
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
  oneOf,
  orNull,
  TEXT,
} from '../../http/openapi/response-schema.js';
import { attachedSchema } from '../../files/schemas.js';
import { userGroupSchema } from '../../projects/schemas.js';
import { trackerReferenceSchema } from '../../trackers/schemas.js';
import { shownUserSchema } from '../../users/schemas.js';

type Properties = Readonly<Record<string, SchemaObject>>;

function valueOf(
  title: string,
  types: readonly string[],
  properties: Properties,
  optional: readonly string[] = [],
): SchemaObject {
  const shared = { field_id: { ...NUMBER, minimum: 1 }, type: oneOf(...types), label: TEXT };
  return named(title, objectOf({ ...shared, ...properties }, optional));
}

export const ID_OR_NAME: SchemaObject = { type: ['integer', 'string'] };
const DECIMAL: SchemaObject = { type: ['number', 'null'] };

const staticValueSchema = named(
  'ChosenValue',
  objectOf({ id: ID_OR_NAME, label: TEXT, color: NOTHING, tlp_color: orNull(TEXT), is_hidden: FLAG }),
);

const chosen = listOf(anyOf(staticValueSchema, shownUserSchema, userGroupSchema));

const linkSchema = named(
  'Link',
  objectOf({
    id: described('Of the other artifact', NUMBER),
    uri: TEXT,
    tracker: trackerReferenceSchema,
    type: described('Empty for a link without a type', TEXT),
  }),
);

/** The members of a text beside its source. */
export const renderedText = {
  format: oneOf('text', 'html'),
  commonmark: described('The Markdown that the HTML comes from', TEXT),
};

const byName = [
  valueOf('StringValue', ['string'], { value: TEXT }),
  valueOf('TextValue', ['text'], { value: TEXT, post_processed_value: TEXT, ...renderedText }, ['commonmark']),
  valueOf('NumberValue', ['int', 'float', 'aid', 'atid'], { value: DECIMAL }),
  valueOf('ComputedValue', ['computed'], { is_autocomputed: FLAG, value: DECIMAL, manual_value: DECIMAL }),
];

export const valueSchema = named(
  'FieldValue',
  anyOf(
    ...byName,
    valueOf('DateValue', ['date'], { value: orNull(TEXT), is_time_displayed: FLAG }),
    valueOf('TimeOfArtifact', ['subon', 'lud'], { value: TEXT }),
    valueOf('UserOfArtifact', ['subby', 'luby'], { value: shownUserSchema }),
    valueOf('SelectionValue', ['sb', 'rb', 'msb', 'cb'], { values: chosen, bind_value_ids: listOf(ID_OR_NAME) }),
    valueOf('OpenListValue', ['tbl'], {
      bind_value_objects: chosen,
      bind_value_ids: described('Labels', listOf(TEXT)),
      bind_type: oneOf('static', 'users', 'ugroups'),
    }),
    valueOf('LinkValue', ['art_link'], { links: listOf(linkSchema), reverse_links: listOf(linkSchema) }),
    valueOf('FileValue', ['file'], { file_descriptions: listOf(attachedSchema) }),
    valueOf('PermissionsValue', ['perm'], { granted_groups: listOf(TEXT), granted_groups_ids: listOf(TEXT) }),
  ),
);

export const valuesByFieldSchema = mapOf(anyOf(...byName, NOTHING));

const label = described('Null for one that is gone', orNull(TEXT));

/** Null for no value. */
const changeOf = (title: string, value: SchemaObject): SchemaObject =>
  named(title, objectOf({ field_id: NUMBER, name: TEXT, label: TEXT, before: orNull(value), after: orNull(value) }));

/** Of a value in the history: without the members that depend on today. */
export const changeSchema = named(
  'Change',
  anyOf(
    changeOf('LineChange', TEXT),
    changeOf('NumberChange', { type: 'number' }),
    changeOf('TextChange', objectOf({ content: TEXT, format: oneOf('text', 'html', 'commonmark') })),
    changeOf('ComputedChange', objectOf({ is_autocomputed: FLAG, manual_value: DECIMAL })),
    changeOf(
      'ListChange',
      listOf(
        anyOf(objectOf({ id: NUMBER, type: TEXT }), objectOf({ id: ID_OR_NAME, label }), objectOf({ id: NUMBER })),
      ),
    ),
  ),
);
