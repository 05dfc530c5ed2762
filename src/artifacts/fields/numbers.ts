/** int and float. */
import { NOTHING, shown, submittedValue, type Parse } from './field-input.js';

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

export const parseInteger: Parse<number | null> = (_, input, context) => {
  const value = submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (isEmpty(value)) return null;
  const number = numberIn(value, INTEGER);
  if (number !== undefined && integerFault(number) === undefined) return number;
  return context.refuse('/value', noInteger(value));
};

export const integerFault = (number: number): string | undefined =>
  Number.isSafeInteger(number) ? undefined : noInteger(number);

const noInteger = (value: unknown): string => `takes an integer between -(2^53 - 1) and 2^53 - 1, not ${shown(value)}`;

export const parseFloating: Parse<number | null> = (_, input, context) => {
  const value = submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (isEmpty(value)) return null;
  return floatFrom(value) ?? context.refuse('/value', `takes a finite number, not ${shown(value)}`);
};

/** Clients that keep all values as texts send an empty one for a number that was removed. */
const isEmpty = (json: unknown): boolean => json === null || json === '';

/** A finite number, as a number or in digits. */
export function floatFrom(json: unknown): number | undefined {
  const number = numberIn(json, DECIMAL);
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}

/** Zero has no sign: JSON would not keep it. */
function numberIn(json: unknown, digits: RegExp): number | undefined {
  if (typeof json === 'number') return json + 0;
  return typeof json === 'string' && digits.test(json) ? Number(json) + 0 : undefined;
}
