/**
 * The value of a field as requests hold it, for the API description. The parsers of the fields check the values, because
 * the type of the field decides. A member that is not named here is ignored, so that clients may send back what they read.
 */
import { type SchemaObject } from 'ajv';
import { anyOf, described, FLAG, listOf, mapOf, named, oneOf, TEXT } from '../../../http/openapi/response-schema.js';
import { ID_OR_NAME, valueSchema } from '../schemas.js';

const open = (properties: Readonly<Record<string, SchemaObject>>, ...required: readonly string[]): SchemaObject => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
});

const FORMAT = { type: 'string', description: '`text`, `html` or `commonmark`. Others stand for `commonmark`.' };

const content = named('WrittenContent', open({ content: TEXT, format: FORMAT }, 'content'));

const link = named(
  'WrittenLink',
  open({ id: described('Of the other artifact', ID_OR_NAME), type: described('Empty or absent for none', {}) }, 'id'),
);

const directedLink = named(
  'WrittenDirectedLink',
  open({ id: ID_OR_NAME, type: {}, direction: oneOf('forward', 'reverse') }, 'id', 'direction'),
);

const item = named('WrittenItem', open({ id: ID_OR_NAME, label: TEXT, username: TEXT, email: TEXT, short_name: TEXT }));

const plain = {
  value: {
    type: ['string', 'number', 'null'],
    description: 'A text, a number, a date such as `2024-03-05`, or the id of a value of a selection',
  },
  format: FORMAT,
};

const value = named('WrittenValue', open(plain, 'value'));
const text = named('WrittenText', open({ value: content }, 'value'));
const computed = named(
  'WrittenComputed',
  anyOf(
    open({ manual_value: { type: ['number', 'string', 'null'] } }, 'manual_value'),
    open({ is_autocomputed: FLAG }, 'is_autocomputed'),
  ),
);

const labels = described('Ids of values, or labels of an open list', listOf(ID_OR_NAME));
const permissions = open({ granted_groups: listOf(ID_OR_NAME), is_used_by_default: FLAG });

/** A schema of its own, because generators give an inner object a name twice. */
const parent = named('WrittenParent', open({ id: ID_OR_NAME }, 'id'));

/** Each is known by the members that hold the value. */
const kinds: readonly SchemaObject[] = [
  value,
  text,
  computed,
  named('WrittenSelection', open({ bind_value_ids: labels }, 'bind_value_ids')),
  named('WrittenOpenList', open({ value: open({ bind_value_objects: listOf(item) }, 'bind_value_objects') }, 'value')),
  named(
    'WrittenLinks',
    anyOf(
      open({ links: listOf(link) }, 'links'),
      open({ parent }, 'parent'),
      open({ all_links: described('All links in both directions', listOf(directedLink)) }, 'all_links'),
    ),
  ),
  named(
    'WrittenFiles',
    open({ value: described('Ids of files, or of values of a selection', listOf(ID_OR_NAME)) }, 'value'),
  ),
  named('WrittenPermissions', open({ value: permissions }, 'value')),
  valueSchema,
];

/** In digits, too. */
const FIELD_ID = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'The id of a field',
};

/** An element of `values`. */
export const writtenSchema = named('WrittenElement', {
  allOf: [open({ field_id: FIELD_ID }, 'field_id'), anyOf(...kinds)],
});

export const writtenByFieldSchema = mapOf(anyOf(value, text, computed));
