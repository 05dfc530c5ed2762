import { foldText } from '../../core/read-models.js';

export type Value = number | string;

/** Half a surrogate pair has no UTF-8, and some engines end a text at U+0000. */
export function storable<V extends Value>(value: V): V | string {
  return typeof value === 'string' ? value.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : value;
}

export function searchable(text: string): string {
  return storable(foldText(text));
}
