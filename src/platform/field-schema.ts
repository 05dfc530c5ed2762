/** The part of the schema that describes a form; in pieces because each type of field has members of its own. */
const groups = {
  description: 'Groups: all_users, registered_users, project_members, project_admins or a short name of user_groups.',
  type: 'array',
  items: { type: 'string' },
  uniqueItems: true,
};

export const label = { type: 'string', minLength: 1, maxLength: 255, pattern: '\\S' };
export const text = { type: 'string', maxLength: 65_535 };
export const color = { type: 'string', pattern: '^[a-z-]+$', maxLength: 40 };
export const named = (pattern: string, maxLength: number) => ({ type: 'string', pattern, maxLength });
/** A list of groups for each action; the groups given here hold where a file names none. */
export const groupLists = (defaults: Readonly<Record<string, readonly string[] | null>>) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(defaults).map(([action, names]) => [
      action,
      names === null ? groups : { ...groups, default: names },
    ]),
  ),
});

const anyField = {
  name: named('^[A-Za-z0-9_]+$', 255),
  label,
  description: { ...text, default: '' },
  permissions: {
    ...groupLists({ read: ['all_users'], submit: null, update: null }),
    description: 'Without `submit` or `update` the lists of the tracker hold.',
    default: {},
  },
};

const fieldOf = (types: readonly string[], members: object) => ({
  type: 'object',
  required: ['name', 'label', 'type'],
  additionalProperties: false,
  properties: { type: { enum: types }, ...anyField, ...members },
});

const inputOf = (types: readonly string[], members: object = {}) =>
  fieldOf(types, {
    required: {
      description: 'Whether a new artifact, and a change that names the field, has to give a value.',
      type: 'boolean',
      default: false,
    },
    ...members,
  });

const values = {
  description: 'Of a static list, in display order. A value is the same while its label stays.',
  type: 'array',
  items: {
    type: 'object',
    required: ['label'],
    additionalProperties: false,
    properties: {
      label,
      color: { ...named('^[a-z-]*$', 40), default: '' },
      hidden: { type: 'boolean', default: false },
    },
  },
};

const list = {
  bind: {
    description: 'What the list offers; static without it.',
    enum: ['static', 'users', 'user_groups'],
    default: 'static',
  },
  values,
  from: { ...groups, minItems: 1, description: 'Bound to users: whose members. Bound to user groups: which.' },
};

const choice = { description: 'A label, user name or group.', type: 'string' };
const choices = {
  description: 'Labels, user names or groups: one, or a list.',
  type: ['string', 'array'],
  items: { type: 'string' },
  uniqueItems: true,
};

export const fieldSchema = {
  description: 'A field is the same while its name and its type stay.',
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [
    fieldOf(['fieldset', 'column'], { fields: { type: 'array', items: { $ref: '#/$defs/field' }, default: [] } }),
    inputOf(['sb', 'rb'], { ...list, default: choice }),
    inputOf(['msb', 'cb', 'tbl'], { ...list, default: choices }),
    inputOf(['string'], {
      max_chars: { description: '0 is no limit.', type: 'integer', minimum: 0 },
      size: { description: 'Width of the input.', type: 'integer', minimum: 1, maximum: 1000 },
      default: text,
    }),
    inputOf(['text'], { rows: { type: 'integer', minimum: 1, maximum: 1000 }, default: text }),
    inputOf(['int'], { default: { type: 'integer' } }),
    inputOf(['float'], { default: { type: 'number' } }),
    inputOf(['date'], {
      time: { description: 'Whether hours and minutes count.', type: 'boolean', default: false },
      default: { description: '2024-03-05, or 2024-03-05T10:11:00Z where time counts.', type: 'string' },
    }),
    inputOf(['file'], { max_size: { description: 'In bytes.', type: 'integer', minimum: 1 } }),
    inputOf(['perm'], { default: groups }),
    inputOf(['art_link']),
    fieldOf(['computed'], { default: { description: 'A value set by hand.', type: 'number' } }),
    fieldOf(['aid', 'atid', 'subon', 'subby', 'lud', 'luby'], {}),
  ],
};
