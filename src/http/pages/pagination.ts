import { type SchemaObject } from 'ajv';
import { type Context } from 'koa';
import { invalidAt } from '../../core/problem.js';
import { type StartKey } from '../../core/read-models.js';
import { queryOf } from '../client/query.js';
import { type Cursors } from './cursors.js';
import '../state.js';

export interface PageQuery {
  readonly limit: number;
  /** How many items come before the page. */
  readonly offset: number;
  /** The item before the page, which overrides the offset; as the route gave it to `setPage`. */
  readonly after?: StartKey | undefined;
}

const OFFSET = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 };

/**
 * Query schema of a collection; more parameters go into `others`, as properties. `minimum`: of the limit. 0 asks for
 * the headers alone.
 */
export function pageQuery(
  limit: number,
  max: number,
  others: Readonly<Record<string, SchemaObject>> = {},
  minimum: 0 | 1 = 0,
): SchemaObject {
  return {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum, maximum: max, default: limit, description: 'The most items of the page' },
      offset: { ...OFFSET, description: 'How many items come before the page' },
      cursor: {
        type: 'string',
        minLength: 1,
        description: 'The end of the page before, from its Link. A cursor takes the place of `offset`.',
      },
      ...others,
    },
  };
}

/** Whether a route with this query schema comes in pages. */
export function hasPages(query: SchemaObject = {}): boolean {
  const properties: unknown = query['properties'];
  return typeof properties === 'object' && properties !== null && 'cursor' in properties;
}

/** In bytes. Proxies take some kilobytes of headers; what does not fit the client sends again, as a filter in a body. */
const MOST_IN_LINK = 2000;

const OF_THE_PAGE = ['limit', 'offset', 'cursor'];

/** The query of a page with the place that its cursor stands for, if it has one; and with what its links are made from. */
export function continued<Query>(ctx: Context, cursors: Cursors, query: Query, body: unknown): Query {
  const given = queryOf(ctx);
  const others = [...given].filter(([name]) => !OF_THE_PAGE.includes(name));
  const path = ctx.path.replace(/^\/api(\/v1)?(?=\/)|\/$/gi, '').toLowerCase();
  const list = JSON.stringify([path, others, body, ctx.state.userId ?? null]);
  ctx.state.linkTo = (limit, cursor) => {
    const own: [string, string][] = [
      ['limit', String(limit)],
      ['cursor', cursors.write(list, cursor)],
    ];
    const whole = new URLSearchParams([...others, ...own]).toString();
    const search = whole.length > MOST_IN_LINK ? new URLSearchParams(own).toString() : whole;
    return `<${ctx.state.origin}${encodeURI(ctx.path)}?${search}>; rel="next"`;
  };
  const text = given.get('cursor');
  if (text === null) return query;
  if (given.has('offset')) throw invalidAt('offset', 'is not allowed together with a cursor');
  const cursor = cursors.read(list, text);
  if (cursor === null) throw invalidAt('cursor', 'does not belong to this list; start again without it');
  return { ...query, offset: cursor.before, after: cursor.after };
}

export interface PageHeaders extends PageQuery {
  /** Of all items that the reader may see. */
  readonly total: number;
  /** The largest limit of the route. */
  readonly max: number;
  /** The last item of the page if there is a next one, else null. Without it, the list continues by its offset. */
  readonly last?: StartKey | null | undefined;
}

const NAMES = ['X-PAGINATION-LIMIT', 'X-PAGINATION-OFFSET', 'X-PAGINATION-SIZE', 'X-PAGINATION-LIMIT-MAX', 'Link'];

/** An error in place of a page has none of its headers. */
export function unsetPage(ctx: Context): void {
  for (const name of NAMES) ctx.remove(name);
}

export function setPage(ctx: Context, { limit, offset, total, max, last }: PageHeaders): void {
  ctx.set({
    'X-PAGINATION-LIMIT': String(limit),
    'X-PAGINATION-OFFSET': String(offset),
    'X-PAGINATION-SIZE': String(total),
    'X-PAGINATION-LIMIT-MAX': String(max),
  });
  const before = offset + limit;
  const hasNext = limit > 0 && (last === undefined ? before < total : last !== null);
  const linkTo = ctx.state.linkTo;
  if (hasNext && linkTo !== undefined) ctx.set('Link', linkTo(limit, { before, after: last ?? undefined }));
}
