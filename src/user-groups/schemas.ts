/** What the routes of user groups take. What they answer is described beside the groups of projects. */
import { type SchemaObject } from 'ajv';
import { pageQuery } from '../http/pages/pagination.js';

export interface RestId {
  readonly id: string;
}

export const restId: SchemaObject = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[0-9]{1,15}(_[0-9]{1,15})?$' } },
  required: ['id'],
};

export const MEMBERS_MAX = 50;

export const membersQuery = pageQuery(10, MEMBERS_MAX);
