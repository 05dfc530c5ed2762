/** sb, rb, msb, cb. */
import { NONE_VALUE, type Field } from '../../trackers/field-types/definition.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { itemsFault } from './value-bounds.js';
import { numbersOf } from '../../trackers/field-types/canonical.js';
import {
  currentValue,
  NOTHING,
  readAll,
  shown,
  type FieldInput,
  type Nothing,
  type Parse,
  type ParseContext,
} from './field-input.js';
import { bindingOf, type ListContext, type ReadListContext } from './list-values.js';

/** What has been chosen already may stay, even if the list has changed since. */
export const parseSelection: Parse<readonly number[]> = (field, input, context) => {
  const submitted = submittedIds(input, context);
  if (submitted === NOTHING) return NOTHING;
  const { items, pointer, placeOf } = submitted;
  const binding = bindingOf(field);
  const held = new Set(numbersOf(currentValue(field, context)));
  const tooMany = itemsFault(items.length, held.size);
  if (tooMany !== undefined) return context.refuse(pointer, tooMany);
  const ids = readAll(items, (item, index) => {
    if (isNone(item)) return NONE_VALUE;
    const id = binding.idFrom(item, context.projectId);
    if (id !== undefined && (held.has(id) || binding.offers(field, id, context))) return id;
    return context.refuse(placeOf(index), `does not offer ${shown(item)}`);
  });
  if (ids === NOTHING) return NOTHING;
  const distinct = [...new Set(ids)].filter((id) => id !== NONE_VALUE);
  if (distinct.length > 1 && isSingle(field)) return context.refuse(pointer, 'takes at most one value');
  return distinct;
};

interface SubmittedIds {
  readonly items: readonly unknown[];
  readonly pointer: string;
  readonly placeOf: (index: number) => string;
}

/** Without "bind_value_ids" the member "value" holds them, as it does for other fields: one id, or an array. */
function submittedIds({ bind_value_ids: ids, value }: FieldInput, context: ParseContext): SubmittedIds | Nothing {
  if (ids === undefined && value !== undefined) return idsInValue(value, context);
  if (Array.isArray(ids)) return listed(ids, '/bind_value_ids');
  const pointer = ids === undefined ? '' : '/bind_value_ids';
  return context.refuse(pointer, 'takes the ids of its values as an array in "bind_value_ids"');
}

function idsInValue(value: unknown, context: ParseContext): SubmittedIds | Nothing {
  const pointer = '/value';
  if (Array.isArray(value)) return listed(value.map(orNone), pointer);
  const item = orNone(value);
  if (typeof item === 'number' || typeof item === 'string') return { items: [item], pointer, placeOf: () => pointer };
  return context.refuse(pointer, 'takes the id of a value, or an array of ids');
}

const listed = (items: readonly unknown[], pointer: string): SubmittedIds => ({
  items,
  pointer,
  placeOf: (index) => `${pointer}/${index}`,
});

/** As other fields are emptied. */
const orNone = (item: unknown): unknown => (item === null || item === '' ? NONE_VALUE : item);

const NONE: readonly unknown[] = [0, '0', NONE_VALUE, String(NONE_VALUE)];

const isNone = (item: unknown): boolean => NONE.includes(item);

const isSingle = ({ type }: Field): boolean => type === 'sb' || type === 'rb';

/** The members of a selection's representation. */
export function selectionParts(field: Field, value: FieldValue, context: ReadListContext) {
  const found = chosenIn(field, value, context);
  return {
    values: found.map(({ representation }) => representation(context.viewer)),
    bind_value_ids: found.map(({ restId }) => restId),
  };
}

export const selectionLabels = (field: Field, value: FieldValue, context: ListContext): readonly string[] =>
  chosenIn(field, value, context).map(({ displayed }) => displayed);

function chosenIn(field: Field, value: FieldValue, context: ListContext) {
  const { chosen } = bindingOf(field);
  return numbersOf(value).flatMap((id) => chosen(field, id, context) ?? []);
}
