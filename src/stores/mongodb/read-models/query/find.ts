/** What one command finds, in the order of the page and from where it begins. */
import { type Collection, type Filter, type FindCursor, type SortDirection } from 'mongodb';
import { type OrderKey, type Place, type PlainQuery } from '../../../../core/read-models.js';
import { rowsIn, type Row, type StoredDocument } from '../documents.js';
import { ordered, orderName, sortable } from '../entries.js';
import { type DocumentFilter } from './filter.js';

export async function findIds(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: PlainQuery,
): Promise<readonly string[]> {
  const found = collection.find(begun(filter, query), { ...optionsOf(query), projection: { _id: 1 } });
  return (await found.toArray()).map(({ _id }) => _id);
}

export function findRows(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: PlainQuery,
): FindCursor<Row> {
  return rowsIn(collection, begun(filter, query), optionsOf(query));
}

function optionsOf({ order = [], direction, limit, offset }: PlainQuery) {
  const sort = new Map<string, SortDirection>([
    ...order.flatMap(sortsOf),
    // A key that comes again changes nothing, and stays where it was.
    ['_id', signOf(direction)],
  ]);
  // All in one answer.
  return { sort, skip: offset, limit, batchSize: limit + 1 };
}

const signOf = (direction: PlainQuery['direction']): 1 | -1 => (direction === 'asc' ? 1 : -1);

function sortsOf({ key, direction }: OrderKey): readonly (readonly [string, 1 | -1])[] {
  const { is, value } = fieldsOf({ key, direction });
  return [
    [is, -1],
    [value, signOf(direction)],
  ];
}

function fieldsOf({ key, direction }: OrderKey): { readonly is: string; readonly value: string } {
  const name = `o.${orderName(key)}`;
  return { is: `${name}.i`, value: `${name}.${direction === 'asc' ? 'a' : 'z'}` };
}

function begun(filter: DocumentFilter, { order = [], direction, after }: PlainQuery): Filter<StoredDocument> {
  if (after === undefined) return filter;
  return { $and: [filter, behind(order, after, direction)] };
}

function behind(
  order: readonly OrderKey[],
  { values, id }: Place,
  direction: PlainQuery['direction'],
): Filter<StoredDocument> {
  const byItsId: Filter<StoredDocument> = { _id: { [direction === 'asc' ? '$gt' : '$lt']: sortable(id) } };
  return order.reduceRight<Filter<StoredDocument>>((next, key, n) => {
    const fields = fieldsOf(key);
    const without = { [fields.is]: { $exists: false } };
    const given = values[n] ?? null;
    if (given === null) return { $and: [without, next] };
    const value = ordered(given);
    const isTie = { [fields.value]: value };
    return { $or: [...beyond(fields.value, value, key.direction), without, { $and: [isTie, next] }] };
  }, byItsId);
}

/** A server compares values of one type only. */
function beyond(
  field: string,
  value: number | string,
  direction: OrderKey['direction'],
): readonly Filter<StoredDocument>[] {
  const isOfType = { [field]: { [direction === 'asc' ? '$gt' : '$lt']: value } };
  if (direction === 'asc') return typeof value === 'number' ? [isOfType, { [field]: { $gte: '' } }] : [isOfType];
  return typeof value === 'string' ? [isOfType, { [field]: { $gte: -Infinity } }] : [isOfType];
}
