/**
 * The value of a field as requests hold it, for the API description. The parsers of the fields check the values, because
 * the type of the field decides. A member that is not named here is ignored, so that clients may send back what they read.
 */
import { type SchemaObject } from 'ajv';
import {
  anyOf,
  described,
  FLAG,
  listOf,
  mapOf,
  named,
  NOTHING,
  oneOf,
  orNull,
  TEXT,
} from '../../../http/openapi/response-schema.js';
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

const labels = described('Ids of values, or labels of an open list', listOf(ID_OR_NAME));

/** A schema of its own, because generators give an inner object a name twice. */
const parent = named('WrittenParent', open({ id: ID_OR_NAME }, 'id'));

/** Members of a value by its name in the description. The first one is required: the value is known by it. */
type Kinds = Readonly<Record<string, Readonly<Record<string, SchemaObject>>>>;

const text: Kinds = {
  Value: {
    value: {
      type: ['string', 'number'],
      description: 'A text, a number, a date such as `2024-03-05`, or the id of a value of a selection',
    },
    format: FORMAT,
  },
  Text: { value: content },
};

const computed: Kinds = {
  ManualValue: { manual_value: { type: ['number', 'string'] }, is_autocomputed: orNull(FLAG) },
  Autocomputed: { is_autocomputed: FLAG, manual_value: { type: ['number', 'string', 'null'] } },
};

const cleared: Kinds = { NoValue: { value: NOTHING }, NoManualValue: { manual_value: NOTHING } };

const lists: Kinds = {
  OpenList: { value: open({ bind_value_objects: listOf(item) }, 'bind_value_objects') },
  Selection: { bind_value_ids: labels },
  Links: { links: listOf(link), parent: orNull(parent) },
  Parent: { parent },
  AllLinks: { all_links: described('All links in both directions', listOf(directedLink)) },
};

const permissionsAndFiles: Kinds = {
  Permissions: { value: open({ granted_groups: listOf(ID_OR_NAME), is_used_by_default: orNull(FLAG) }) },
  Files: { value: described('Ids of files, or of values of a selection', listOf(ID_OR_NAME)) },
};

/** In digits, too. */
const FIELD_ID = named('FieldId', {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'The id of a field',
});

const elementsOf = (kinds: Kinds): readonly SchemaObject[] =>
  Object.entries(kinds).map(([name, members]) =>
    named(`${name}Element`, open({ field_id: FIELD_ID, ...members }, 'field_id', ...firstOf(members))),
  );

const valuesOf = (kinds: Kinds): readonly SchemaObject[] =>
  Object.entries(kinds).map(([name, members]) => named(`Written${name}`, open(members, ...firstOf(members))));

const firstOf = (members: Kinds[string]): readonly string[] => Object.keys(members).slice(0, 1);

/**
 * An element of `values`. A generated client takes the first alternative that it can read, drops members that the
 * alternative does not name, and reads a member that is absent as null, and a text as a list.
 */
export const writtenSchema = named(
  'WrittenElement',
  anyOf(
    ...elementsOf({ ...text, ...lists, ...computed }),
    valueSchema,
    ...elementsOf({ ...permissionsAndFiles, ...cleared }),
  ),
);

export const writtenByFieldSchema = mapOf(anyOf(...valuesOf({ ...text, ...computed, ...cleared })));
