/** Numbers and dates as TQL writes them. Times are UTC. */
import { epochSeconds } from '../../core/clock.js';
import { type Span } from '../filter/comparisons.js';
import { type Literal, type Shift } from './expression.js';

/** What PHP calls numeric: a sign and an exponent can only stand in quotes. */
const NUMERIC = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
/** Longer texts are no meaningful numbers. */
const MAX_DIGITS = 200;

/** Undefined for what is no number. */
export function numberFrom(literal: Literal): number | undefined {
  if (literal.type === 'number') return Math.min(Number(literal.text), Number.MAX_VALUE);
  if (literal.type !== 'text' || literal.text.length > MAX_DIGITS || !NUMERIC.test(literal.text)) return undefined;
  const value = Number(literal.text);
  return Number.isFinite(value) ? value : undefined;
}

const MINUTE = 60;
const DAY = 86_400;

/** A month and a day may have one digit, and the 31st of February is the 3rd of March. */
const DATE = /^(\d{4})-(0?[1-9]|1[0-2])-(0?[1-9]|[12]\d|3[01])(?: ([01]?\d|2[0-3]):([0-5]\d))?$/;

/**
 * The seconds since 1970 that a date stands for: those of its day, or of its minute. `withTime`: whether the field has
 * hours and minutes. Undefined for what is no date, or none of such a field.
 */
export function spanFrom(literal: Literal, withTime: boolean, now: Date): Span | undefined {
  if (literal.type === 'now') return spanAt(shifted(now, literal.shift), withTime ? MINUTE : DAY);
  return literal.type === 'text' ? spanWritten(literal.text, withTime) : undefined;
}

function spanWritten(text: string, withTime: boolean): Span | undefined {
  const [date, , , , time] = DATE.exec(text) ?? [];
  if (date === undefined || (time !== undefined && !withTime)) return undefined;
  return spanAt(secondsOf(date), time === undefined ? DAY : MINUTE);
}

function secondsOf(date: string): number {
  const [, year, month = '', day, hour = 0, minute = 0] = DATE.exec(date) ?? [];
  const start = epochSeconds(`${year}-${month.padStart(2, '0')}-01T00:00:00Z`);
  return start + (Number(day) - 1) * DAY + Number(hour) * 60 * MINUTE + Number(minute) * MINUTE;
}

/** Undefined for an instant that no date reaches. */
function spanAt(instant: number, seconds: number): Span | undefined {
  const first = Math.floor(instant / seconds) * seconds;
  return Number.isNaN(first) ? undefined : { first, last: first + seconds - 1 };
}

/** Months and years by the calendar: a month after the 31st of January is in March. */
function shifted(now: Date, shift: Shift | null): number {
  const date = new Date(now);
  const { amount, unit } = shift ?? { amount: 0, unit: 'd' };
  if (unit === 'd') date.setUTCDate(date.getUTCDate() + amount);
  if (unit === 'w') date.setUTCDate(date.getUTCDate() + 7 * amount);
  if (unit === 'm') date.setUTCMonth(date.getUTCMonth() + amount);
  if (unit === 'y') date.setUTCFullYear(date.getUTCFullYear() + amount);
  return date.getTime() / 1000;
}
