import { type SchemaObject } from 'ajv';
import { NUMBER, objectOf, orNull, TEXT } from '../../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';
import { minimalTrackerSchema } from '../../trackers/schemas.js';
import { AT_LEAST_ONE, fullStatusSchema } from '../schemas.js';

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

export const OF_TRACKER_MAX = 1000;

export const ofTrackerQuery = pageQuery(100, OF_TRACKER_MAX, {}, AT_LEAST_ONE);

export const usedTypeSchema = objectOf({ shortname: TEXT, forward_label: TEXT });

export const parentSchema = objectOf({
  id: NUMBER,
  uri: TEXT,
  xref: TEXT,
  html_url: TEXT,
  title: orNull(TEXT),
  tracker: minimalTrackerSchema,
  full_status: fullStatusSchema,
});
