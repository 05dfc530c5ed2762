/** The part of the schema that describes a form; in pieces because each type of field has members of its own. */
import { COLORS } from './colors.js';
import { DEFAULTS } from './defaults.js';

const groups = {
  description: 'Groups: all_users, registered_users, project_members, project_admins or a short name of user_groups.',
  type: 'array',
  items: { type: 'string' },
  uniqueItems: true,
};

export const label = {
  type: 'string',
  maxLength: 255,
  pattern: '\\S',
  $comment: 'at least one character that is no space',
};
export const text = { type: 'string', maxLength: 65_535 };
/** Beyond the palette the one that is set already may stay, which the plan sees and the schema does not. */
export const color = { type: 'string', maxLength: 40, examples: COLORS };
/** `words` say what the pattern allows. */
export const named = (pattern: string, maxLength: number, words: string) => ({
  type: 'string',
  pattern,
  maxLength,
  $comment: words,
});

interface Typed extends Readonly<Record<string, unknown>> {
  readonly type: string | readonly string[];
}

/** A member that null sets back: to the default given, or to being absent. */
export function orNull(schema: Typed, byDefault: unknown = null): object {
  return { ...schema, type: [schema.type, 'null'].flat(), default: byDefault };
}

export const choiceOrNull = (words: readonly string[], byDefault: string) => ({
  enum: [...words, null],
  default: byDefault,
});

/** A list of groups for each action; the groups given here hold for null, and in what is new. */
export const groupLists = (defaults: Readonly<Record<string, readonly string[] | null>>) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(defaults).map(([action, names]) => [action, orNull(groups, names)])),
});

const anyField = {
  name: named('^[A-Za-z0-9_]+$', 255, 'letters, digits and "_"'),
  label,
  description: orNull(text, DEFAULTS.description),
  permissions: orNull(
    {
      ...groupLists({ read: DEFAULTS.read, submit: null, update: null }),
      description: 'While `submit` or `update` is null the list of the tracker holds.',
    },
    {},
  ),
};

const fieldOf = (types: readonly string[], members: object) => ({
  type: 'object',
  required: ['name', 'label', 'type'],
  additionalProperties: false,
  properties: { type: { enum: types }, ...anyField, ...members },
});

const inputOf = (types: readonly string[], members: object = {}) =>
  fieldOf(types, {
    required: orNull(
      {
        description: 'Whether a new artifact, and a change that names the field, has to give a value.',
        type: 'boolean',
      },
      false,
    ),
    ...members,
  });

const values = orNull(
  {
    description:
      'Of a static list, all of them, in display order. A value is the same while its label stays; one that is left out becomes hidden.',
    type: 'array',
    items: {
      type: 'object',
      required: ['label'],
      additionalProperties: false,
      properties: {
        label,
        color: orNull(color, DEFAULTS.valueColor),
        hidden: orNull({ type: 'boolean' }, false),
      },
    },
  },
  [],
);

const list = {
  bind: {
    ...choiceOrNull(['static', 'users', 'user_groups'], DEFAULTS.bind),
    description: 'What the list offers; it cannot change.',
  },
  values,
  from: {
    ...groups,
    minItems: 1,
    $comment: 'name at least one group',
    description: 'Bound to users: whose members. Bound to user groups: which.',
  },
};

const choice = orNull({ description: 'A label, user name or group.', type: 'string' });
const choices = orNull({
  description: 'Labels, user names or groups: one, or a list.',
  type: ['string', 'array'],
  items: { type: 'string' },
  uniqueItems: true,
});

export const fieldSchema = {
  description: 'A field is the same while its name and its type stay.',
  $comment: '{ name: …, label: …, type: … }',
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [
    fieldOf(['fieldset', 'column'], { fields: { type: 'array', items: { $ref: '#/$defs/field' } } }),
    inputOf(['sb', 'rb'], { ...list, default: choice }),
    inputOf(['msb', 'cb', 'tbl'], { ...list, default: choices }),
    inputOf(['string'], {
      max_chars: orNull({ description: '0 is no limit.', type: 'integer', minimum: 0 }),
      size: orNull({ description: 'Width of the input.', type: 'integer', minimum: 1, maximum: 1000 }),
      default: orNull(text),
    }),
    inputOf(['text'], { rows: orNull({ type: 'integer', minimum: 1, maximum: 1000 }), default: orNull(text) }),
    inputOf(['int'], { default: orNull({ type: 'integer' }) }),
    inputOf(['float'], { default: orNull({ type: 'number' }) }),
    inputOf(['date'], {
      time: orNull({ description: 'Whether hours and minutes count.', type: 'boolean' }, false),
      default: orNull({ description: '2024-03-05, or 2024-03-05T10:11:00Z where time counts.', type: 'string' }),
    }),
    inputOf(['file'], { max_size: orNull({ description: 'In bytes.', type: 'integer', minimum: 1 }) }),
    inputOf(['perm'], { default: orNull(groups) }),
    inputOf(['art_link']),
    fieldOf(['computed'], { default: orNull({ description: 'A value set by hand.', type: 'number' }) }),
    fieldOf(['aid', 'atid', 'subon', 'subby', 'lud', 'luby'], {}),
  ],
};
