/**
 * Numbers as hexadecimal digits that sort as the numbers do, and ranges of them as regular expressions. What would be
 * zeros at the end is left out: most numbers have many there, and they sort alike without.
 */
import { alternatives, END } from './regular-expressions.js';

const DIGITS = '0123456789abcdef';
const LENGTH = 16;
const LOWEST = '';
const HIGHEST = 'f'.repeat(LENGTH);

/** The bits of a double grow with it once those of negative ones are turned round. */
export function sortableDigits(value: number): string {
  const bytes = Buffer.alloc(LENGTH / 2);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = value < 0;
  for (const [index, byte] of bytes.entries()) {
    if (isNegative) bytes[index] = ~byte;
    else if (index === 0) bytes[index] = byte ^ 0x80;
  }
  return withoutZeros(bytes.toString('hex'));
}

const withoutZeros = (digits: string): string => digits.replace(/0+$/, '');
const withZeros = (digits: string): string => digits.padEnd(LENGTH, '0');

/** The number that has these digits. */
export function numberIn(digits: string): number {
  const bytes = Buffer.from(withZeros(digits), 'hex');
  const isNegative = (bytes[0] ?? 0) < 0x80;
  for (const [index, byte] of bytes.entries()) {
    if (isNegative) bytes[index] = ~byte;
    else if (index === 0) bytes[index] = byte ^ 0x80;
  }
  return bytes.readDoubleBE(0);
}

export interface NumberRange {
  readonly above?: number;
  readonly from?: number;
  readonly to?: number;
  readonly below?: number;
}

/** The lowest and the highest number of the range; null for an empty one. */
export function numbersWithin(range: NumberRange): readonly [string, string] | null {
  const { above, from, to, below } = range;
  if ([above, from, to, below].some(Number.isNaN)) return null;
  const lowest = lowestOf(range);
  const highest = highestOf(range);
  return lowest > highest ? null : [lowest, highest];
}

function lowestOf({ above, from }: NumberRange): string {
  const first = from === undefined ? LOWEST : sortableDigits(from);
  const second = above === undefined ? LOWEST : next(sortableDigits(above), 1n);
  return first > second ? first : second;
}

function highestOf({ to, below }: NumberRange): string {
  const first = to === undefined ? HIGHEST : sortableDigits(to);
  const second = below === undefined ? HIGHEST : next(sortableDigits(below), -1n);
  return first < second ? first : second;
}

/** No number comes between two neighbours. */
function next(digits: string, step: bigint): string {
  const neighbour = BigInt(`0x${withZeros(digits)}`) + step;
  return withoutZeros(neighbour.toString(16).padStart(LENGTH, '0'));
}

/** Matches the digits of what is neither lower nor higher. */
export function digitsBetween(lowest: string, highest: string): string {
  return between(withZeros(lowest), withZeros(highest));
}

function between(lowest: string, highest: string): string {
  if (isAll(lowest, '0')) return digitsTo(highest);
  const [low = '', high = ''] = [lowest[0], highest[0]];
  if (low === high) return low + between(lowest.slice(1), highest.slice(1));
  return alternatives([
    low + digitsFrom(lowest.slice(1)),
    ...oneDigit(DIGITS.indexOf(low) + 1, DIGITS.indexOf(high)),
    high + digitsTo(highest.slice(1)),
  ]);
}

function digitsFrom(lowest: string): string {
  const low = lowest[0];
  if (low === undefined || isAll(lowest, '0')) return '';
  return alternatives([low + digitsFrom(lowest.slice(1)), ...oneDigit(DIGITS.indexOf(low) + 1, LENGTH)]);
}

function digitsTo(highest: string): string {
  const high = highest[0];
  if (high === undefined || isAll(highest, 'f')) return '';
  return alternatives([END, ...oneDigit(0, DIGITS.indexOf(high)), high + digitsTo(highest.slice(1))]);
}

function isAll(digits: string, digit: string): boolean {
  return digits === digit.repeat(digits.length);
}

function oneDigit(from: number, before: number): readonly string[] {
  return from < before ? [`[${DIGITS.slice(from, before)}]`] : [];
}
