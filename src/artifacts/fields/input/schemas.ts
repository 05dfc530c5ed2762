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

interface Kind {
  readonly name: string;
  /** Known by the first one, which is required. */
  readonly members: Readonly<Record<string, SchemaObject>>;
}

const text: Kind = { name: 'Text', members: { value: content } };

const manual: Kind = {
  name: 'ManualValue',
  members: { manual_value: { type: ['number', 'string'] }, is_autocomputed: FLAG },
};

const automatic: Kind = {
  name: 'Autocomputed',
  members: { is_autocomputed: FLAG, manual_value: { type: ['number', 'string', 'null'] } },
};

const plain: Kind = {
  name: 'Value',
  members: {
    value: {
      type: ['string', 'number'],
      description: 'A text, a number, a date such as `2024-03-05`, or the id of a value of a selection',
    },
    format: FORMAT,
  },
};

const cleared: readonly Kind[] = [
  { name: 'NoValue', members: { value: NOTHING } },
  { name: 'NoManualValue', members: { manual_value: NOTHING } },
];

const lists: readonly Kind[] = [
  { name: 'OpenList', members: { value: open({ bind_value_objects: listOf(item) }, 'bind_value_objects') } },
  { name: 'Selection', members: { bind_value_ids: labels } },
  { name: 'Links', members: { links: listOf(link), parent: orNull(parent) } },
  { name: 'Parent', members: { parent } },
  { name: 'AllLinks', members: { all_links: described('All links in both directions', listOf(directedLink)) } },
];

const permissions: Kind = {
  name: 'Permissions',
  members: { value: open({ granted_groups: listOf(ID_OR_NAME), is_used_by_default: FLAG }) },
};

const files: Kind = {
  name: 'Files',
  members: { value: described('Ids of files, or of values of a selection', listOf(ID_OR_NAME)) },
};

/** In digits, too. */
const FIELD_ID = named('FieldId', {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'The id of a field',
});

const knownByFirst = (members: Kind['members']) => Object.keys(members).slice(0, 1);

const elementOf = ({ name, members }: Kind): SchemaObject =>
  named(`${name}Element`, open({ field_id: FIELD_ID, ...members }, 'field_id', ...knownByFirst(members)));

const valueOf = ({ name, members }: Kind): SchemaObject =>
  named(`Written${name}`, open(members, ...knownByFirst(members)));

/**
 * An element of `values`. A generated client takes the first alternative that it can read, drops members that the
 * alternative does not name, and reads a member that is absent as null, and a text as a list.
 */
export const writtenSchema = named(
  'WrittenElement',
  anyOf(
    ...[plain, text, ...lists, manual, automatic].map(elementOf),
    valueSchema,
    ...[permissions, files, ...cleared].map(elementOf),
  ),
);

export const writtenByFieldSchema = mapOf(anyOf(...[plain, text, manual, automatic, ...cleared].map(valueOf)));
