/** What a tracker's semantics make of the values of an artifact. */
import { numbersOf } from './canonical.js';
import { type Semantics } from './definition.js';
import { type FieldValues } from './field-value.js';

type Status = NonNullable<Semantics['status']>;

/** The first of several values. */
export const statusId = (fieldId: number, values: FieldValues): number | undefined =>
  numbersOf(values[String(fieldId)])[0];

/** Whether the status is one of the open ones; true without a status in the semantics. */
export function isOpen(status: Status | null | undefined, values: FieldValues): boolean {
  if (status === null || status === undefined) return true;
  const id = statusId(status.field, values);
  return id !== undefined && status.open.includes(id);
}
