import { Problem, type Violation } from '../../core/problem.js';
import { type PlaceOf } from './input/places.js';
import { NOTHING, type Refuse } from './field-input.js';

/** How values that a state does not allow are refused. */
export interface RefusedValues {
  /** Ids of written fields that the writer may not read. Refusals name neither field nor value. */
  readonly blind?: readonly number[] | undefined;
  /** Left out where no request writes the values. */
  readonly placeOf?: PlaceOf;
}

const MAX_VIOLATIONS = 100;

/** Throws one Problem that lists all violations. Once as many violations are found as are named, nothing more is looked at. */
export function withoutViolations<T>(parse: (refuse: Refuse) => T): T {
  const violations: Violation[] = [];
  const parsed = parse((pointer, message) => {
    violations.push({ pointer, message });
    if (violations.length >= MAX_VIOLATIONS) throw refusal(violations);
    return NOTHING;
  });
  if (violations.length > 0) throw refusal(violations);
  return parsed;
}

/** Throws one Problem that lists these, as many as are named. */
export function refuseViolations(violations: readonly Violation[]): void {
  if (violations.length > 0) throw refusal(violations.slice(0, MAX_VIOLATIONS));
}

const refusal = (details: readonly Violation[]): Problem =>
  new Problem('invalid', details.map(({ message }) => message).join('\n'), { details });
