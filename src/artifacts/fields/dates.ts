/** date, and how instants are written. */
import { type DateValue, type FieldValue } from '../../trackers/field-types/field-value.js';
import { dateOf } from '../../trackers/field-types/canonical.js';
import { currentValue, NOTHING, shown, submittedValue, type Parse } from './field-input.js';

/** ISO 8601, and with slashes, or with months and days of one digit. Without separators, month and day have two digits each. */
const NUMERIC =
  /^(?<year>\d{4})(?<separator>[-/]|(?=\d{4}(?!\d)))(?<month>\d\d?)\k<separator>(?<day>\d\d?)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)? ?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const RFC_1123 =
  /^(?:(?<weekday>[a-z]{3}), ?)?(?<day>\d{1,2}) (?<monthName>[a-z]{3}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d))? (?<zone>GMT|UTC?|Z|[+-]\d\d:?\d\d)$/i;

/** Seconds, as many as the years 1 to 9999 have. */
const SINCE_1970 = /^@(-?\d{1,12})$/;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MINUTE_MS = 60_000;
const MAX_OFFSET_HOURS = 14;

/** Longer than any date that is one; keeps the expressions from long texts. */
const MAX_LENGTH = 48;

type Parts = Readonly<Record<string, string | undefined>>;

export const parseDate: Parse<DateValue | null> = (field, input, context) => {
  const value = submittedValue(input, context);
  if (value === undefined) return NOTHING;
  if (value === null || value === '') return null;
  const { time = false } = field;
  const date = typeof value === 'string' ? dateFrom(value, time) : undefined;
  return date === undefined
    ? context.refuse('/value', `takes a date of the years 1 to 9999 like 2024-03-05, not ${shown(value)}`)
    : keptIfShown(date, dateOf(currentValue(field, context)), time);
};

/** A date that the artifact shows already stays as it is stored: the field may have had a time, or none, before. */
const keptIfShown = (written: DateValue, held: string | undefined, time: boolean): DateValue =>
  held !== undefined && writtenDate(held, time) === writtenDate(written.date, time) ? { date: held } : written;

/** Without time the day is that of the offset as written; with time the minute in UTC, midnight when none was given. */
export function dateFrom(written: string, withTime: boolean): DateValue | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const [, seconds] = SINCE_1970.exec(written) ?? [];
  if (seconds !== undefined) return dateAt(new Date(Number(seconds) * 1000), withTime);
  const parts: Parts | undefined = (NUMERIC.exec(written) ?? RFC_1123.exec(written))?.groups;
  return parts && calendarDate(parts, withTime);
}

function calendarDate(parts: Parts, withTime: boolean): DateValue | undefined {
  const local = localTime(parts);
  const offset = offsetMinutes(parts['zone']);
  if (local === undefined || offset === undefined) return undefined;
  return dateAt(withTime ? new Date(local.getTime() - offset * MINUTE_MS) : local, withTime);
}

/** The clock on the wall, taken as UTC; undefined where no calendar or clock shows it. */
function localTime(parts: Parts): Date | undefined {
  const written = `${writtenDay(parts)}T${writtenTime(parts)}`;
  const time = new Date(`${written}Z`);
  const isPossible = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(written);
  const { weekday } = parts;
  const isNamed = weekday === undefined || WEEKDAYS[time.getUTCDay()] === weekday.toLowerCase();
  return isPossible && isNamed && time.getUTCFullYear() > 0 ? time : undefined;
}

const writtenTime = ({ hour = '00', minute = '00', second = '00' }: Parts): string => `${hour}:${minute}:${second}`;

function writtenDay({ year, month, monthName, day }: Parts): string {
  const number = monthName === undefined ? month : MONTHS.indexOf(monthName.toLowerCase()) + 1;
  return `${year}-${twoDigits(number)}-${twoDigits(day)}`;
}

const twoDigits = (number: number | string | undefined): string => String(number).padStart(2, '0');

function offsetMinutes(zone = 'Z'): number | undefined {
  if (/^[a-z]/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (minutes > 59 || hours * 60 + minutes > MAX_OFFSET_HOURS * 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function dateAt(instant: Date, withTime: boolean): DateValue | undefined {
  const year = instant.getUTCFullYear();
  if (year < 1 || year > 9999) return undefined;
  const iso = instant.toISOString();
  return { date: withTime ? `${iso.slice(0, 16)}:00Z` : iso.slice(0, 10) };
}

/** A UTC instant as representations write it. */
export const isoDate = (instant: string): string => `${instant.slice(0, 19)}+00:00`;

/** A field that was once without time may hold dates that have one, and the other way round. */
export const writtenDate = (date: string, time: boolean): string =>
  time && date.length > 10 ? isoDate(date) : `${date.slice(0, 10)}T00:00:00+00:00`;

/** Null for no date. */
export function readDate(value: FieldValue, time: boolean): string | null {
  const date = dateOf(value);
  return date === undefined ? null : writtenDate(date, time);
}
