/** What the routes take that find artifacts of one tracker. */
import { type SchemaObject } from 'ajv';
import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';
import { AT_LEAST_ONE, SINCE, type Since } from '../schemas.js';

export const TRACKER_PAGE_MAX = 1000;

export interface TrackerPageQuery extends PageQuery, Since {
  readonly values: '' | 'all';
  readonly order: 'asc' | 'desc';
  readonly sort: string;
  readonly query?: string;
  readonly expert_query?: string;
}

export const trackerPageQuery = pageQuery(
  100,
  TRACKER_PAGE_MAX,
  {
    values: { enum: ['', 'all'], default: '' },
    order: { enum: ['asc', 'desc'], default: 'asc', description: 'Of the ids, and of what `sort` leaves alike' },
    sort: { type: 'string', default: '', description: 'Names or ids of fields, with - in front of those that descend' },
    query: { type: 'string', description: 'The filter as JSON; the body may hold it instead.' },
    expert_query: { type: 'string', description: 'The filter in TQL, see docs/tql.md; in place of the JSON.' },
    ...SINCE,
  },
  AT_LEAST_ONE,
);

export const REPORT_PAGE_MAX = 50;

export interface ReportPageQuery extends PageQuery {
  readonly values: '' | 'all';
}

export const reportPageQuery = pageQuery(
  10,
  REPORT_PAGE_MAX,
  { values: { enum: ['', 'all'], default: '' } },
  AT_LEAST_ONE,
);

/** By field name or id: a value, or {operator, value}. */
export type FilterBody = Readonly<Record<string, unknown>> | readonly never[];

export const filterBody: SchemaObject = {
  type: ['object', 'array'],
  maxItems: 0,
  description:
    'The filter: field names or ids with a value (`42`, `">5"`, `"1 - 9"`, `[504, 505]`) or {"operator", "value"}; the operators are contains, =, !=, <, <=, >, >=, between and empty, as the type of the field takes them. A date is that whole day in UTC, an instant that second. docs/filters.md has all of it.',
};
