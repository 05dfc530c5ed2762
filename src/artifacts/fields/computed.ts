/** computed: a sum over the children, or a number put in its place. */
import { type ComputedValue, type FieldValue } from '../../trackers/field-types/field-value.js';
import { computedOf, manualOf } from '../../trackers/field-types/canonical.js';
import { isGiven, shown, type FieldInput, type Nothing, type Parse, type ParseContext } from './field-input.js';
import { floatFrom } from './numbers.js';

/** The `value` beside them is what was read, and means nothing by itself. */
export const parseComputed: Parse<ComputedValue | null> = (_, input, context) => {
  const { is_autocomputed: isAuto, manual_value: manual } = input;
  if (isGiven(isAuto) && typeof isAuto !== 'boolean') {
    return context.refuse('/is_autocomputed', 'takes true or false here');
  }
  if (isAuto === true) return automatic(input, context);
  if (manual === undefined) return context.refuse('', 'takes "is_autocomputed": true or a "manual_value"');
  if (manual === null) return null;
  const number = floatFrom(manual);
  return number === undefined
    ? context.refuse('/manual_value', `takes a finite number, not ${shown(manual)}`)
    : { manual: number };
};

function automatic({ manual_value: manual }: FieldInput, { refuse }: ParseContext): ComputedValue | Nothing {
  if (!isGiven(manual)) return { auto: true };
  return refuse('/manual_value', 'takes "is_autocomputed": true or a "manual_value", not both');
}

/** The members of a computed field's representation. `value` is the sum, also beside a number in its place. */
export function computedParts(held: FieldValue, sum: () => number | null) {
  const [manual, isNothing] = [manualOf(held), computedOf(held) === undefined];
  return { is_autocomputed: manual === null && !isNothing, value: isNothing ? null : sum(), manual_value: manual };
}
