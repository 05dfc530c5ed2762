import { type SchemaObject } from 'ajv';
import {
  described,
  listOf,
  named,
  NOTHING,
  NUMBER,
  objectOf,
  oneOf,
  orNull,
  TEXT,
} from '../../http/openapi/response-schema.js';
import { pageQuery } from '../../http/pages/pagination.js';
import { type Tag } from '../../http/route.js';

export const TAG: Tag = {
  name: 'Access keys',
  description: 'A key stands for a user in scripts, until it expires or is revoked.',
};

export interface NewKey {
  readonly description?: string | null;
  readonly expiration_date?: string | null;
}

/** Every key is of the one scope that clients know for the whole API. */
export const SCOPE = { key: 'write:rest', name: 'REST API', description: 'All that its user may read and write' };

export const newKey: SchemaObject = {
  type: 'object',
  properties: {
    description: { type: 'string', maxLength: 1000, nullable: true },
    expiration_date: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'In the future. A key without this date does not expire.',
    },
    scopes: {
      type: 'array',
      minItems: 1,
      items: { enum: [SCOPE.key, 'all'] },
      nullable: true,
      description: 'Every key has all rights of its user. There is no other scope.',
    },
  },
};

export const identifierSchema = objectOf({
  identifier: described('The value of the header X-Auth-AccessKey. No other answer shows it.', TEXT),
});

export const keySchema = named(
  'AccessKey',
  objectOf({
    id: NUMBER,
    creation_date: TEXT,
    expiration_date: orNull(TEXT),
    description: TEXT,
    last_used_on: described('The day of the last use', orNull(TEXT)),
    last_used_by: NOTHING,
    scopes: listOf(objectOf({ key: oneOf(SCOPE.key), name: TEXT, description: TEXT })),
  }),
);

export const LIST_MAX = 50;

export const listQuery = pageQuery(LIST_MAX, LIST_MAX);
