/** What the routes take that find artifacts of one tracker. */
import { type SchemaObject } from 'ajv';
import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';
import { AT_LEAST_ONE, MAX_FILTER_FIELDS, SINCE, type Since } from '../schemas.js';
import { OUTPUT_FORMAT, type OutputFormat } from '../representation/schemas.js';
import { jsonText } from '../../http/json-parameter.js';

export const TRACKER_PAGE_MAX = 1000;

export interface TrackerPageQuery extends PageQuery, Since {
  readonly values: '' | 'all';
  readonly order: 'asc' | 'desc';
  readonly sort: string;
  readonly query?: string;
  readonly expert_query?: string;
}

const VALUES: SchemaObject = { enum: ['', 'all'], default: '', description: '`all`: the artifacts have their values' };

export const trackerPageQuery = pageQuery(
  100,
  TRACKER_PAGE_MAX,
  {
    values: VALUES,
    order: { enum: ['asc', 'desc'], default: 'asc', description: 'Of the ids, after the fields of `sort`' },
    sort: {
      type: 'string',
      default: '',
      description: 'Names or ids of fields, separated by commas. A - in front reverses the order.',
    },
    query: jsonText('The filter as JSON, in place of the body'),
    expert_query: {
      type: 'string',
      description: 'The filter in TQL, such as `status_id = "Open" AND title != "pump"`. docs/tql.md has the language.',
    },
    ...SINCE,
  },
  AT_LEAST_ONE,
);

export const REPORT_PAGE_MAX = 50;

export interface ReportPageQuery extends PageQuery {
  readonly values: '' | 'all';
  readonly output_format: OutputFormat;
}

const description = `${OUTPUT_FORMAT.description}. Rows need \`values=all\`.`;

export const reportPageQuery = pageQuery(
  10,
  REPORT_PAGE_MAX,
  { values: VALUES, output_format: { ...OUTPUT_FORMAT, description } },
  AT_LEAST_ONE,
);

/** By field name or id: a value, or {operator, value}. */
export type FilterBody = Readonly<Record<string, unknown>> | readonly never[];

const FILTER: SchemaObject = {
  type: 'object',
  maxProperties: MAX_FILTER_FIELDS,
  description:
    'The filter: names or ids of fields, each with a value (`42`, `">5"`, `"1 - 9"`, `[504, 505]`) or an object with `operator` and `value`. The operators are `contains`, `=`, `!=`, `<`, `<=`, `>`, `>=`, `between` and `empty`; the type of the field decides which of them it takes. A name of digits alone is a name only if no field has this id. A date means its day in UTC, an instant its second. docs/filters.md has all of it.',
};

/** Some clients write an empty object as an empty list. */
export const filterBody: SchemaObject = { type: ['object', 'array'], maxItems: 0, published: FILTER };
