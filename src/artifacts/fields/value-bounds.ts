/** How large the values of an artifact may be. A value that a write does not name is not judged. */
import {
  exceeds,
  jsonBytes,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACT_ITEMS,
  MAX_EVENT_BYTES,
  MAX_LINKS,
  MAX_LIST_ITEMS,
  MAX_TEXT_BYTES,
  RESERVED_BYTES,
} from '../../core/bounds.js';
import { Problem } from '../../core/problem.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { isList, linksOf, textOf } from '../../trackers/field-types/canonical.js';
import { anyPlace } from './input/places.js';
import { type RefusedValues } from './violations.js';

interface ValueFault {
  /** Null: of all fields together. */
  readonly fieldId: number | null;
  readonly message: string;
}

/** What is wrong with the size of a value in the place of what the field held. */
export function valueFault(value: FieldValue, held: FieldValue | undefined): string | undefined {
  if (isList(value))
    return linksOf(value).length > 0 ? undefined : itemsFault(value.length, isList(held) ? held.length : 0);
  return exceeds(MAX_TEXT_BYTES, textBytes(value), textBytes(held))
    ? `takes at most ${MAX_TEXT_BYTES} bytes`
    : undefined;
}

export function itemsFault(count: number, held: number): string | undefined {
  return exceeds(MAX_LIST_ITEMS, count, held) ? `takes at most ${MAX_LIST_ITEMS} items` : undefined;
}

export function linksFault(count: number, held: number): string | undefined {
  return exceeds(MAX_LINKS, count, held) ? `an artifact holds at most ${MAX_LINKS} links` : undefined;
}

function allItemsFault(count: number, held: number): string | undefined {
  return exceeds(MAX_ARTIFACT_ITEMS, count, held)
    ? `the lists of an artifact hold at most ${MAX_ARTIFACT_ITEMS} items together`
    : undefined;
}

/** Of what a write changes. */
export function valueFaults(held: FieldValues, changed: FieldValues): readonly ValueFault[] {
  const faults = Object.entries(changed).flatMap(([field, value]): readonly ValueFault[] => {
    const message = valueFault(value, held[field]);
    return message === undefined ? [] : [{ fieldId: Number(field), message }];
  });
  const all = { ...held, ...changed };
  const together = [linksFault(linkCount(all), linkCount(held)), allItemsFault(itemCount(all), itemCount(held))];
  return [...faults, ...together.flatMap((message) => (message === undefined ? [] : [{ fieldId: null, message }]))];
}

/** What is wrong with the size of all values together. */
export function totalFault(held: FieldValues, changed: FieldValues): string | undefined {
  const bytes = jsonBytes({ ...held, ...changed });
  if (bytes <= MAX_ARTIFACT_BYTES || bytes <= jsonBytes(held)) return undefined;
  return `The values of the artifact have ${bytes} bytes; the limit is ${MAX_ARTIFACT_BYTES}`;
}

/** No larger than the bounds, or at least no larger than before. */
export function refuseTooLarge(
  { tracker, placeOf = anyPlace }: RefusedValues & { readonly tracker: CompiledTracker },
  held: FieldValues,
  changed: FieldValues,
): void {
  const faults = valueFaults(held, changed).map(({ fieldId, message }) => {
    const label = fieldId === null ? undefined : tracker.fieldById(fieldId)?.label;
    return { pointer: placeOf(fieldId), message: label === undefined ? message : `${label}: ${message}` };
  });
  if (faults.length > 0) {
    throw new Problem('invalid', faults.map(({ message }) => message).join('\n'), { details: faults });
  }
  const message = totalFault(held, changed);
  if (message !== undefined)
    throw new Problem('too-large', message, { details: [{ pointer: placeOf(null), message }] });
}

export const fitsEvent = (values: FieldValues): boolean => jsonBytes(values) <= MAX_EVENT_BYTES - RESERVED_BYTES;

const linkCount = (values: FieldValues): number =>
  Object.values(values).reduce<number>((sum, value) => sum + linksOf(value).length, 0);

/** Of lists that do not link. */
const itemCount = (values: FieldValues): number =>
  Object.values(values).reduce<number>((sum, value) => sum + (isList(value) ? value.length : 0), 0) - linkCount(values);

function textBytes(value: FieldValue | undefined): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : Buffer.byteLength(textOf(value)?.text ?? '');
}
