/** What the parsers of all field types share: what they are given, and how they refuse it. */
import { type Definitions } from '../../definitions/definitions.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { type ArtifactView } from '../artifact-view.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { type HtmlOf } from '../rendering/text-rendering.js';

/** One element of `values`: a JSON object of unknown members. */
export type FieldInput = Readonly<Record<string, unknown>>;

export interface WriteContext {
  readonly definitions: Definitions;
  /** As it stands before the write; left out for a new one. */
  readonly artifact?: Pick<ArtifactView, 'id' | 'values'>;
  /** Of what may be the source of a text that is sent back. */
  readonly htmlOf: HtmlOf;
}

export interface ParseContext extends WriteContext {
  readonly projectId: number;
  /** Notes what is wrong, below the element; the field's label goes in front of the message. */
  readonly refuse: Refuse;
}

export type Refuse = (pointer: string, message: string) => Nothing;

/** Nothing to write: refused, or not for clients to say. */
export const NOTHING = Symbol('nothing to write');
export type Nothing = typeof NOTHING;

/** Never throws. */
export type Parse<Value> = (field: Field, input: FieldInput, context: ParseContext) => Value | Nothing;

/** The member `value`, undefined only once refused. */
export function submittedValue(input: FieldInput, context: ParseContext): unknown {
  if (input['value'] === undefined) context.refuse('', 'the member "value" is missing');
  return input['value'];
}

export const currentValue = (field: Field, { artifact }: WriteContext): FieldValue | undefined =>
  artifact?.values[String(field.id)];

export const isObject = (json: unknown): json is FieldInput =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** Some clients write null for a member that they leave out. */
export const isGiven = (json: unknown): boolean => json !== undefined && json !== null;

/** A positive integer, as a number or in digits. */
export function idFrom(json: unknown): number | undefined {
  const id = typeof json === 'string' && /^\d{1,16}$/.test(json) ? Number(json) : json;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

const SHOWN_LENGTH = 60;

/** A submitted value inside a message: escaped, and never a long one. */
export function shown(json: unknown): string {
  if (typeof json === 'object' && json !== null) return Array.isArray(json) ? 'the list' : 'the object';
  const text = JSON.stringify(typeof json === 'string' ? json.slice(0, SHOWN_LENGTH) : (json ?? null));
  return typeof json === 'string' && json.length > SHOWN_LENGTH ? `${text}…` : text;
}

/** Every item read, or nothing when any of them was refused. */
export function readAll<Item>(
  items: readonly unknown[],
  read: (item: unknown, index: number) => Item | Nothing,
): readonly Item[] | Nothing {
  const found = items.map(read);
  return found.every((item): item is Item => item !== NOTHING) ? found : NOTHING;
}

/** Half of a surrogate pair: no text that can be stored as UTF-8. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Stops at the first code point too many. */
export function isLongerThan(text: string, maximum: number): boolean {
  if (text.length <= maximum) return false;
  return text.length > 2 * maximum || Array.from(text).length > maximum;
}
