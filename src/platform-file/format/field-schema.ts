/** The part of the schema that describes a form; in pieces because each type of field has members of its own. */
import { type ContainerType, type FieldType, type SelectionType } from '../../trackers/field-types/definition.js';
import { DEFAULTS } from './defaults.js';
import { colorOrNull, flagOrNull, groups, groupsOrNull, label, named, textOrNull } from './leaf-schemas.js';
import { type Shape } from './schema-shape.js';

const anyField = {
  name: named('^[A-Za-z0-9_]+$', 255, 'letters, digits and "_"'),
  label,
  description: textOrNull(DEFAULTS.description),
  permissions: {
    description: 'While `submit` or `update` is null the list of the tracker holds.',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: { read: groupsOrNull(DEFAULTS.read), submit: groupsOrNull(null), update: groupsOrNull(null) },
    default: {},
  },
} as const;

const fieldOf = <const Types extends readonly FieldType[], const Members extends object>(
  types: Types,
  members: Members,
) =>
  ({
    type: 'object',
    required: ['name', 'label', 'type'],
    additionalProperties: false,
    properties: { type: { enum: types }, ...anyField, ...members },
  }) as const;

const inputOf = <const Types extends readonly FieldType[], const Members extends object>(
  types: Types,
  members: Members,
) =>
  fieldOf(types, {
    required: {
      ...flagOrNull(false),
      description: 'Whether a new artifact has to give a value, and a change may not empty it.',
    },
    ...members,
  });

const list = {
  bind: {
    description: 'What the list offers; it cannot change.',
    enum: ['static', 'users', 'user_groups', null],
    default: DEFAULTS.bind,
  },
  values: {
    description:
      'Of a static list, all of them, in display order. A value is the same while its label stays, but for spaces around the label and its Unicode form; one that is left out becomes hidden.',
    type: ['array', 'null'],
    items: {
      type: 'object',
      required: ['label'],
      additionalProperties: false,
      properties: { label, color: colorOrNull(DEFAULTS.valueColor), hidden: flagOrNull(false) },
    },
    default: [],
  },
  from: {
    ...groups,
    minItems: 1,
    $comment: 'name at least one group',
    description: 'Bound to users: whose members. Bound to user groups: which.',
  },
} as const;

const choice = { description: 'A label, user name or group.', type: ['string', 'null'], default: null } as const;
const choices = {
  description: 'Labels, user names or groups: one, or a list.',
  type: ['string', 'array', 'null'],
  items: { type: 'string' },
  uniqueItems: true,
  default: null,
} as const;
const measure = { type: ['integer', 'null'], minimum: 1, default: null } as const;

export const fieldSchema = {
  description:
    'A field is the same while its name stays. The name keeps its type for ever: another one is refused, also once the field was pruned.',
  $comment: '{ name: …, label: …, type: … }',
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [
    fieldOf(['fieldset', 'column'], { fields: { type: 'array', items: { $ref: '#/$defs/field' } } }),
    inputOf(['sb', 'rb'], { ...list, default: choice }),
    inputOf(['msb', 'cb', 'tbl'], { ...list, default: choices }),
    inputOf(['string'], {
      max_chars: { ...measure, description: '0 is no limit.', minimum: 0 },
      size: { ...measure, description: 'Width of the input.', maximum: 1000 },
      default: textOrNull(null),
    }),
    inputOf(['text'], { rows: { ...measure, maximum: 1000 }, default: textOrNull(null) }),
    inputOf(['int'], { default: { type: ['integer', 'null'], default: null } }),
    inputOf(['float'], { default: { type: ['number', 'null'], default: null } }),
    inputOf(['date'], {
      time: { ...flagOrNull(false), description: 'Whether hours and minutes count.' },
      default: {
        description: '2024-03-05, or 2024-03-05T10:11:00Z where time counts.',
        type: ['string', 'null'],
        default: null,
      },
    }),
    inputOf(['file'], { max_size: { ...measure, description: 'In bytes.' } }),
    inputOf(['perm'], { default: groupsOrNull(null) }),
    inputOf(['art_link'], {}),
    fieldOf(['computed'], {
      default: { description: 'A value set by hand.', type: ['number', 'null'], default: null },
    }),
    fieldOf(['aid', 'atid', 'subon', 'subby', 'lud', 'luby'], {}),
  ],
} as const;

/** An interface, because a type alias may not name itself. */
export interface Defs {
  readonly field: FieldEntry;
}

export type FieldEntry = Shape<typeof fieldSchema, Defs>;
type EntryOf<Type extends FieldType> = Extract<FieldEntry, { readonly type: Type }>;
export type ContainerEntry = EntryOf<ContainerType>;
export type ListEntry = EntryOf<SelectionType | 'tbl'>;
export type ListValueEntry = NonNullable<ListEntry['values']>[number];
export type StringEntry = EntryOf<'string'>;
export type TextEntry = EntryOf<'text'>;
export type DateEntry = EntryOf<'date'>;
export type FileEntry = EntryOf<'file'>;
export type PermEntry = EntryOf<'perm'>;
