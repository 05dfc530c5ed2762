/** What a new artifact holds in fields that its submission leaves out, and what it then still lacks. */
import { type CompiledTracker } from '../compiled-tracker.js';
import { isEmptyValue, isList, numbersOf, openListOf } from './canonical.js';
import { allFields, type Field } from './definition.js';
import { type FieldValue, type FieldValues } from './field-value.js';
import { isReadOnly } from './read-only-types.js';

/** The sum over the children. */
export const AUTO = { auto: true } as const;

/** The values of a new artifact in fields that the request leaves out. */
export const defaultsFor = (tracker: CompiledTracker): FieldValues => defaultsOf(tracker.fields);

/** Those of them that are given: a new artifact holds them before it is judged. Of fields that are out of reach, too. */
export function defaultsAmong(given: FieldValues, { view }: CompiledTracker): FieldValues {
  const defaults = Object.entries(defaultsOf(allFields(view.fields)));
  return Object.fromEntries(defaults.filter(([id]) => Object.hasOwn(given, id)));
}

/** Required fields that are empty in these values, in display order. Those that the service fills never are. */
export const requiredMissing = (tracker: CompiledTracker, values: FieldValues): readonly Field[] =>
  tracker.fields.filter((field) => field.required && !isReadOnly(field.type) && isEmptyValue(values[String(field.id)]));

function defaultsOf(fields: readonly Field[]): FieldValues {
  const defaults = fields.map((field) => [String(field.id), defaultOf(field)] as const);
  return Object.fromEntries(defaults.filter((entry): entry is [string, FieldValue] => !isEmptyValue(entry[1])));
}

function defaultOf({ type, bind, values = [], default: value }: Field): FieldValue | undefined {
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
