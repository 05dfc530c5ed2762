import { type SchemaObject } from 'ajv';
import { type Context } from 'koa';

export interface PageQuery {
  readonly limit: number;
  readonly offset: number;
}

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
      limit: { type: 'integer', minimum, maximum: max, default: limit },
      offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
      ...others,
    },
  };
}

export interface PageHeaders extends PageQuery {
  /** Of all items that the reader may see. */
  readonly total: number;
  /** The greatest limit that the route takes. */
  readonly max: number;
}

export function setPage(ctx: Context, { limit, offset, total, max }: PageHeaders): void {
  ctx.set({
    'X-PAGINATION-LIMIT': String(limit),
    'X-PAGINATION-OFFSET': String(offset),
    'X-PAGINATION-SIZE': String(total),
    'X-PAGINATION-LIMIT-MAX': String(max),
  });
}
