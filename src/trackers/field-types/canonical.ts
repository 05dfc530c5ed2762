/** Canonical values by what they hold. A value of another type, and none at all, is read as empty. */
import {
  type ComputedValue,
  type DateValue,
  type FieldValue,
  type Link,
  type OpenListValue,
  type TextValue,
} from './field-value.js';

type Stored = FieldValue | undefined;
type List = Extract<FieldValue, readonly unknown[]>;

const NONE: readonly never[] = [];

export const isList = (value: Stored): value is List => Array.isArray(value);
const isNumbers = (value: List): value is readonly number[] => typeof value[0] === 'number';
const isLinks = (value: List): value is readonly Link[] => typeof value[0] === 'object' && 'id' in value[0];
const isOpenList = (value: List): value is readonly OpenListValue[] =>
  typeof value[0] === 'object' && !('id' in value[0]);

export const numbersOf = (value: Stored): readonly number[] => (isList(value) && isNumbers(value) ? value : NONE);
export const linksOf = (value: Stored): readonly Link[] => (isList(value) && isLinks(value) ? value : NONE);
export const openListOf = (value: Stored): readonly OpenListValue[] =>
  isList(value) && isOpenList(value) ? value : NONE;

const isRecord = (value: Stored): value is TextValue | DateValue | ComputedValue =>
  typeof value === 'object' && value !== null && !isList(value);

export const textOf = (value: Stored): TextValue | undefined =>
  isRecord(value) && 'text' in value ? value : undefined;
export const dateOf = (value: Stored): string | undefined =>
  isRecord(value) && 'date' in value ? value.date : undefined;
export const computedOf = (value: Stored): ComputedValue | undefined =>
  isRecord(value) && ('auto' in value || 'manual' in value) ? value : undefined;
export const stringOf = (value: Stored): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: Stored): number | null => (typeof value === 'number' ? value : null);
/** Null for a sum, too. */
export const manualOf = (value: Stored): number | null => (isRecord(value) && 'manual' in value ? value.manual : null);

/** One text for each: `b12` for a value of the list, `o7` for a label that users added. */
export const openItemKey = (item: { readonly bound: number } | { readonly open: number }): string =>
  'bound' in item ? `b${item.bound}` : `o${item.open}`;

/** Nothing was entered. A value never stored, a cleared one and an empty list are alike. */
export function isEmptyValue(value: Stored): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (isList(value)) return value.length === 0;
  return textOf(value)?.text === '';
}
