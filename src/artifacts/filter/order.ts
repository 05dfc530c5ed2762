/** In which order the artifacts of a tracker come: from a client's `sort` to keys of their index entries. */
import { invalidAt, type Problem } from '../../core/problem.js';
import { type IndexEntry, type OrderKey, type StartKey } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type FieldType } from '../../trackers/field-types/definition.js';
import { artifactEntries, askedKey, type ArtifactDocument } from '../artifact-view.js';
import { fieldOf } from './filter.js';

const MAX_KEYS = 5;

export const SORTABLE: readonly FieldType[] = [
  'string',
  'int',
  'float',
  'aid',
  'atid',
  'date',
  'subon',
  'lud',
  'sb',
  'rb',
  'msb',
  'cb',
  'subby',
  'luby',
];

/** `-` descends. A field that the reader may not read is not in `readable`, and so unknown. */
export function artifactOrder(readable: CompiledTracker, sort: string): readonly OrderKey[] {
  const names = sort.trim() === '' ? [] : sort.split(',').map((name) => name.trim());
  if (names.length > MAX_KEYS) throw wrong(`names at most ${MAX_KEYS} fields`);
  const order = names.map((name) => orderKey(readable, name));
  const isTwice = new Set(order.map(({ key }) => key)).size < order.length;
  if (isTwice) throw wrong('names a field more than once');
  return order;
}

function orderKey(readable: CompiledTracker, written: string): OrderKey {
  const name = written.replace(/^-/, '');
  const field = fieldOf(readable, name);
  if (field === undefined) throw wrong(`names a field that does not exist: ${name}`);
  if (!SORTABLE.includes(field.type)) throw wrong(`names ${name}: fields of type ${field.type} have no order`);
  const key = askedKey(readable.id, field);
  return { key, direction: written.startsWith('-') ? 'desc' : 'asc' };
}

const wrong = (message: string): Problem => invalidAt('sort', message);

/**
 * Where an artifact stands, for a cursor: of several values the first one of the order counts. The keys of the order
 * follow, because the same `sort` may name other fields when the cursor comes back.
 */
export function startKeyOf(artifact: ArtifactDocument, order: readonly OrderKey[]): StartKey {
  const entries = artifactEntries(artifact);
  return { id: artifact.id, values: [...order.map((key) => valueOf(entries, key)), ...order.map(({ key }) => key)] };
}

/** The place of a cursor, without the keys. Cursors of earlier releases have none, and are taken. */
export function placeIn(order: readonly OrderKey[], { id, values }: StartKey): StartKey {
  const keys = values.slice(order.length);
  const isOfOrder = keys.length === 0 || order.every(({ key }, nth) => keys[nth] === key);
  if (!isOfOrder) throw invalidAt('cursor', 'was made when `sort` named other fields; start again without it');
  return { id, values: values.slice(0, order.length) };
}

function valueOf(entries: readonly IndexEntry[], { key, direction }: OrderKey): number | string | null {
  const values = entries.flatMap((entry) => (entry.key === key && 'value' in entry ? [entry.value] : []));
  // Under the key of a field that sorts all values are numbers, or there is one alone.
  const [first = null] = values.toSorted((a, b) => (direction === 'asc' ? 1 : -1) * (Number(a) - Number(b)));
  return first;
}
