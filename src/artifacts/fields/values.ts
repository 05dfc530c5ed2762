/** Rules on canonical values that hold for every type of field. */
import { Problem } from '../../core/problem.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { allFields, type Field, type FieldType } from '../../trackers/field-types/definition.js';
import {
  type FieldValue,
  type FieldValues,
  type Link,
  type OpenListValue,
} from '../../trackers/field-types/field-value.js';
import { isList, numbersOf, openItemKey, openListOf, textOf } from '../../trackers/field-types/canonical.js';
import { isReadOnly } from '../../trackers/field-types/read-only-types.js';
import { anyPlace } from './input/places.js';
import { type RefusedValues } from './violations.js';

type Stored = FieldValue | undefined;

/** The sum over the children. */
const AUTO = { auto: true } as const;

/** What an artifact holds in fields that were never given a value: they may be newer than the artifact. */
const NEVER_GIVEN: Readonly<Partial<Record<FieldType, FieldValue>>> = {
  computed: AUTO,
  text: null,
  sb: [],
  rb: [],
  msb: [],
  cb: [],
};

/** Undefined where a field of this type holds nothing until it is given a value. */
export function heldIn(values: FieldValues, { id, type }: Pick<Field, 'id'> & Partial<Field>): Stored {
  const value = values[String(id)];
  return value === undefined && type !== undefined ? NEVER_GIVEN[type] : value;
}

/** Nothing was entered. A value never stored, a cleared one and an empty list are alike. */
export function isEmptyValue(value: Stored): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (isList(value)) return value.length === 0;
  return textOf(value)?.text === '';
}

/** Required fields that are empty in these values, in display order. Those that the service fills never are. */
export const requiredMissing = (tracker: CompiledTracker, values: FieldValues): readonly Field[] =>
  tracker.fields.filter((field) => field.required && !isReadOnly(field.type) && isEmptyValue(values[String(field.id)]));

export function refuseMissing(missing: readonly Field[], { blind = [], placeOf = anyPlace }: RefusedValues): void {
  if (missing.length === 0) return;
  const details = missing.map(({ id, label, name }) => ({
    pointer: placeOf(id),
    message: blind.includes(id) ? `${label} must have a value` : `The field ${label} (${name}) must have a value`,
  }));
  throw new Problem('invalid', details.map(({ message }) => message).join('; '), { details });
}

/** The values of a new artifact in fields that the request leaves out. */
export const defaultsFor = (tracker: CompiledTracker): FieldValues => defaultsOf(tracker.fields);

/** Those of them that are given: a new artifact holds them before it is judged. Of fields that are out of reach, too. */
export function defaultsAmong(given: FieldValues, { view }: CompiledTracker): FieldValues {
  const defaults = Object.entries(defaultsOf(allFields(view.fields)));
  return Object.fromEntries(defaults.filter(([id]) => Object.hasOwn(given, id)));
}

function defaultsOf(fields: readonly Field[]): FieldValues {
  const defaults = fields.map((field) => [String(field.id), defaultOf(field)] as const);
  return Object.fromEntries(defaults.filter((entry): entry is [string, FieldValue] => !isEmptyValue(entry[1])));
}

function defaultOf({ type, bind, values = [], default: value }: Field): Stored {
  if (type === 'computed') return value ?? AUTO;
  if (bind !== 'static' || !isList(value)) return value;
  const hidden = new Set(values.flatMap(({ id, hidden: isHidden }) => (isHidden ? [id] : [])));
  return withoutHidden(value, hidden);
}

type List = Extract<FieldValue, readonly unknown[]>;

/** A default that the list no longer offers is none. */
function withoutHidden(list: List, hidden: ReadonlySet<number>): FieldValue {
  const numbers = numbersOf(list).filter((id) => !hidden.has(id));
  return numbers.length > 0 ? numbers : openListOf(list).filter((item) => !('bound' in item && hidden.has(item.bound)));
}

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
