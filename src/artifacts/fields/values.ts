/** Rules on canonical values that hold for every type of field. */
import { Problem } from '../../core/problem.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { isEmptyValue, isList, openItemKey } from '../../trackers/field-types/canonical.js';
import { AUTO } from '../../trackers/field-types/defaults.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import {
  type FieldValue,
  type FieldValues,
  type Link,
  type OpenListValue,
} from '../../trackers/field-types/field-value.js';
import { anyPlace } from './input/places.js';
import { type RefusedValues } from './violations.js';

type Stored = FieldValue | undefined;

/** What an artifact holds in fields that were never given a value: they may be newer than the artifact. */
const NEVER_GIVEN: Readonly<Partial<Record<FieldType, FieldValue>>> = {
  computed: AUTO,
  string: null,
  text: null,
  date: null,
  sb: [],
  rb: [],
  msb: [],
  cb: [],
  tbl: [],
};

/** Undefined where a field of this type holds nothing until it is given a value. */
export function heldIn(values: FieldValues, { id, type }: Pick<Field, 'id'> & Partial<Field>): Stored {
  const value = values[String(id)];
  return value === undefined && type !== undefined ? NEVER_GIVEN[type] : value;
}

export function refuseMissing(missing: readonly Field[], { blind = [], placeOf = anyPlace }: RefusedValues): void {
  if (missing.length === 0) return;
  const details = missing.map(({ id, label, name }) => ({
    pointer: placeOf(id),
    message: blind.includes(id) ? `${label} must have a value` : `The field ${label} (${name}) must have a value`,
  }));
  throw new Problem('invalid', details.map(({ message }) => message).join('; '), { details });
}

type List = Extract<FieldValue, readonly unknown[]>;

/** Whether a write would change nothing: lists in any order, and all that is empty. */
export function sameValue(a: Stored, b: Stored): boolean {
  if (a === b) return true;
  if (isEmptyValue(a) || isEmptyValue(b)) return isEmptyValue(a) && isEmptyValue(b);
  if (isList(a)) return isList(b) && sameList(a, b);
  return !isList(b) && identity(a) === identity(b);
}

function sameList(a: List, b: List): boolean {
  if (a.length !== b.length) return false;
  const known = new Set(Array.from(a, itemIdentity));
  return Array.from(b, itemIdentity).every((item) => known.has(item));
}

function itemIdentity(item: number | Link | OpenListValue): string {
  if (typeof item === 'number') return String(item);
  return 'id' in item ? `${item.id} ${item.type}` : openItemKey(item);
}

/** One text for equal values; a number and the string of its digits stay apart. */
function identity(value: Exclude<Stored, List>): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if ('text' in value) return `${value.format} ${value.text}`;
  if ('date' in value) return `date ${value.date}`;
  return 'manual' in value ? `manual ${value.manual}` : 'auto';
}

/** Those that differ from the current ones, and the blind ones whether they do or not. */
export function changedValues(
  current: FieldValues,
  wanted: FieldValues,
  { tracker, blind = [] }: Pick<RefusedValues, 'blind'> & { readonly tracker?: CompiledTracker } = {},
): FieldValues {
  const isChanged = (id: number, value: Stored): boolean =>
    blind.includes(id) || !sameValue(heldIn(current, tracker?.fieldById(id) ?? { id }), value);
  return Object.fromEntries(Object.entries(wanted).filter(([id, value]) => isChanged(Number(id), value)));
}
