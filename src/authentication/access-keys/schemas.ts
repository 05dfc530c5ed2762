import { type SchemaObject } from 'ajv';
import { pageQuery } from '../../http/pages/pagination.js';

export interface NewKey {
  readonly description?: string;
  readonly expiration_date?: string | null;
}

/** Every key is of the one scope that clients know for the whole API. */
export const SCOPE = { key: 'write:rest', name: 'REST API', description: 'All that its user may read and write' };

export const newKey: SchemaObject = {
  type: 'object',
  properties: {
    description: { type: 'string', maxLength: 1000 },
    expiration_date: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'ISO-8601 with offset, in the future; the key does not expire without one',
    },
    scopes: {
      type: 'array',
      minItems: 1,
      items: { enum: [SCOPE.key, 'all'] },
      nullable: true,
      description: 'Every key reaches what its user does: there is no narrower scope',
    },
  },
};

export const identifierSchema: SchemaObject = {
  type: 'object',
  properties: { identifier: { type: 'string', description: 'Goes into the X-Auth-AccessKey header; shown only now' } },
  required: ['identifier'],
};

export const LIST_MAX = 50;

export const listQuery = pageQuery(10, LIST_MAX);
