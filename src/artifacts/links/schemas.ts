import { type SchemaObject } from 'ajv';
import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';
import { AT_LEAST_ONE } from '../schemas.js';

export type Direction = 'forward' | 'reverse';

export const LINKED_MAX = 50;

export interface LinkedQuery extends PageQuery {
  readonly direction: Direction;
  readonly nature: string;
  readonly output_format: 'nested' | 'flat' | 'flat_with_semicolon_string_array';
}

export const linkedQuery: SchemaObject = {
  ...pageQuery(
    10,
    LINKED_MAX,
    {
      direction: { enum: ['forward', 'reverse'] },
      nature: { type: 'string', maxLength: 255, default: '' },
      output_format: { enum: ['nested', 'flat', 'flat_with_semicolon_string_array'], default: 'nested' },
    },
    AT_LEAST_ONE,
  ),
  required: ['direction'],
};
