/** The one canonical form of a value, per type of field, as events and documents hold it. */

export const TEXT_FORMATS = ['text', 'html', 'commonmark'] as const;

export type TextFormat = (typeof TEXT_FORMATS)[number];

/** text */
export interface TextValue {
  readonly text: string;
  readonly format: TextFormat;
}

/** art_link: `type` is the shortname of a link type, empty for none. A target stands in a field once. */
export interface Link {
  readonly id: number;
  readonly type: string;
}

/** tbl: a value of the list (or a user), or a label that users added, under its number. */
export type OpenListValue = { readonly bound: number } | { readonly open: number; readonly label: string };

/** date: `2024-03-05`, or with hours and minutes `2024-03-05T10:11:00Z`. An object, so that no string passes for one. */
export interface DateValue {
  readonly date: string;
}

/** computed */
export type ComputedValue = { readonly auto: true } | { readonly manual: number };

/**
 * string: string. int, float: number. date: DateValue. text: TextValue.
 * sb, rb, msb, cb: ids of values, users or groups, None being []. perm: ids of the granted groups, [] for
 * no restriction. file: ids of files. null: cleared.
 */
export type FieldValue =
  | string
  | number
  | null
  | TextValue
  | DateValue
  | ComputedValue
  | readonly number[]
  | readonly Link[]
  | readonly OpenListValue[];

/** By field id. */
export type FieldValues = Readonly<Record<string, FieldValue>>;
