import { DEFAULTS } from './defaults.js';
import { type Defs } from './field-schema.js';
import { colorOrNull, flagOrNull, groupsOrNull, label, named, names, textOrNull } from './leaf-schemas.js';
import { type Shape } from './schema-shape.js';

const fieldName = { type: ['string', 'null'], default: null } as const;

const semantics = {
  description: 'What some fields mean, by field name.',
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    title: fieldName,
    description: fieldName,
    status: {
      type: ['object', 'null'],
      required: ['field', 'open'],
      additionalProperties: false,
      properties: {
        field: { type: 'string' },
        open: {
          description: 'Labels of the values that mean open.',
          type: 'array',
          items: { type: 'string' },
          uniqueItems: true,
        },
      },
      default: null,
    },
    contributor: fieldName,
  },
  default: {},
} as const;

const workflow = {
  description: 'While it is null every transition is allowed.',
  type: ['object', 'null'],
  required: ['field', 'transitions'],
  additionalProperties: false,
  properties: {
    field: { type: 'string' },
    transitions: {
      description: 'From and to, by label, each pair once; null stands for a new artifact.',
      type: 'array',
      // No uniqueItems: of lists it compares each pair.
      items: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        $comment: 'write [from, to], with null as the first for a new artifact',
        prefixItems: [{ type: ['string', 'null'] }, { type: 'string' }],
      },
    },
  },
  default: null,
} as const;

const reports = {
  description: 'All of them. While there is none, the tracker has one over everything.',
  type: ['array', 'null'],
  maxItems: 100,
  items: {
    description: 'Key: name, the same in upper and lower case.',
    $comment: '{ name: … }',
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: label,
      public: {
        ...flagOrNull(DEFAULTS.publicReport),
        description: 'false: only those who administer the tracker see it.',
      },
      default: { ...flagOrNull(DEFAULTS.defaultReport), description: 'Of at most one report of the tracker.' },
      query: { ...textOrNull(DEFAULTS.query), description: 'TQL, see docs/tql.md; empty: everything.' },
    },
  },
  default: [],
} as const;

export const trackerSchema = {
  description: 'Key: item_name, within its project.',
  type: 'object',
  required: ['item_name', 'label', 'fields'],
  additionalProperties: false,
  properties: {
    item_name: named('^[A-Za-z0-9_]+$', 60, 'letters, digits and "_"'),
    label,
    description: textOrNull(DEFAULTS.description),
    color_name: colorOrNull(DEFAULTS.trackerColor),
    admins: names('User names and groups, all of them.'),
    permissions: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        access: groupsOrNull(DEFAULTS.trackerPermissions.access),
        submit: groupsOrNull(DEFAULTS.trackerPermissions.submit),
        update: groupsOrNull(DEFAULTS.trackerPermissions.update),
      },
      default: {},
    },
    fields: {
      description: 'In display order. A field that is left out stays where it is, unless pruned.',
      type: 'array',
      items: { $ref: '#/$defs/field' },
    },
    semantics,
    workflow,
    reports,
  },
} as const;

export type TrackerEntry = Shape<typeof trackerSchema, Defs>;
