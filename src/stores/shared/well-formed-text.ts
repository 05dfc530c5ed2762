import { foldText } from '../../core/text/spelling.js';

export type Value = number | string;

/** Half a surrogate pair has no UTF-8, and some engines end a text at U+0000. */
export function storable<V extends Value>(value: V): V | string {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}

export const storedText = (text: string): string => storable(foldText(text));

/** Null for what no stored text holds. */
export const searchable = (text: string): string | null => (storable(text) === text ? foldText(text) : null);
