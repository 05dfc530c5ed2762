/** What only some types of field have: sizes, lists and defaults in the form of artifacts' values. */
import { dateFrom } from '../../artifacts/fields/dates.js';
import { integerFault } from '../../artifacts/fields/numbers.js';
import { lineFault, textFault } from '../../artifacts/fields/text.js';
import { dateOf, stringOf, textOf } from '../../trackers/field-types/canonical.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { type Field } from '../../trackers/field-types/definition.js';
import {
  type ContainerEntry,
  type DateEntry,
  type FieldEntry,
  type FileEntry,
  type ListEntry,
  type PermEntry,
  type StringEntry,
  type TextEntry,
} from '../format/field-schema.js';
import { desired, desiredOrNone } from './member.js';
import { groupIds, refuseFaulty, type KnownField, type ProjectResolver } from './resolver.js';
import { listSpecifics } from './desired-list.js';

type LeafEntry = Exclude<FieldEntry, ContainerEntry>;

export function specificsOf(entry: LeafEntry, known: KnownField): Partial<Field> {
  if (isListEntry(entry)) return listSpecifics(entry, known);
  if (entry.type === 'perm') return permSpecifics(entry, known);
  return plainSpecifics(entry, known);
}

const LIST_TYPES: ReadonlySet<string> = new Set(['sb', 'rb', 'msb', 'cb', 'tbl']);
const isListEntry = (entry: LeafEntry): entry is ListEntry => LIST_TYPES.has(entry.type);

function permSpecifics({ default: names }: PermEntry, { present, pointer, resolver }: KnownField): Partial<Field> {
  return defaultOf(desiredOrNone(names && groupIds(names, `${pointer}/default`, resolver), present.default));
}

type PlainEntry = Exclude<LeafEntry, ListEntry | PermEntry>;

function plainSpecifics(entry: PlainEntry, known: KnownField): Partial<Field> {
  const { present, pointer, resolver } = known;
  if (entry.type === 'string') return stringSpecifics(entry, known);
  if (entry.type === 'date') return dateSpecifics(entry, known);
  if (entry.type === 'text') return textSpecifics(entry, known);
  if (entry.type === 'file') return fileSpecifics(entry, present);
  if (!('default' in entry)) return defaultOf(present.default);
  refuseUnsafe(entry, present.default, `${pointer}/default`, resolver);
  return defaultOf(
    desiredOrNone<FieldValue>(
      entry.type === 'computed' && typeof entry.default === 'number' ? { manual: entry.default } : entry.default,
      present.default,
    ),
  );
}

function refuseUnsafe(
  { type, default: named }: Extract<PlainEntry, { type: 'int' | 'float' | 'computed' }>,
  present: FieldValue | undefined,
  pointer: string,
  { complain }: ProjectResolver,
): void {
  if (type !== 'int' || typeof named !== 'number' || named === present) return;
  const fault = integerFault(named);
  if (fault !== undefined) complain(pointer, fault);
}

const defaultOf = (value: FieldValue | undefined): Partial<Field> => (value === undefined ? {} : { default: value });

function fileSpecifics({ max_size: named }: FileEntry, present: Partial<Field>): Partial<Field> {
  const maxSize = desiredOrNone(named, present.maxSize);
  return maxSize === undefined ? {} : { maxSize };
}

function textSpecifics(
  { rows: namedRows, default: text }: TextEntry,
  { present, pointer, resolver }: KnownField,
): Partial<Field> {
  if (typeof text === 'string') {
    refuseFaulty(text, textOf(present.default)?.text, `${pointer}/default`, textFault, resolver);
  }
  const rows = desiredOrNone(namedRows, present.rows);
  const named: FieldValue | undefined = typeof text === 'string' ? { text, format: 'text' } : text;
  return { ...(rows !== undefined && { rows }), ...defaultOf(desiredOrNone<FieldValue>(named, present.default)) };
}

function stringSpecifics(
  { max_chars: namedMax, size: namedSize, default: named }: StringEntry,
  { present, pointer, resolver }: KnownField,
): Partial<Field> {
  const maxChars = desiredOrNone(namedMax, present.maxChars);
  const size = desiredOrNone(namedSize, present.size);
  const text = desiredOrNone<FieldValue>(named, present.default);
  if (typeof text === 'string') {
    // Another maximum judges what stays, too.
    const held = maxChars === present.maxChars ? stringOf(present.default) : undefined;
    refuseFaulty(text, held, `${pointer}/default`, (line) => lineFault(line, maxChars ?? 0), resolver);
  }
  return { ...(maxChars !== undefined && { maxChars }), ...(size !== undefined && { size }), ...defaultOf(text) };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

function dateSpecifics(
  { time: namedTime, default: named }: DateEntry,
  { present, pointer, resolver: { complain } }: KnownField,
): Partial<Field> {
  const time = desired(namedTime, present.time, false);
  const date = desiredOrNone(named, dateOf(present.default));
  if (date === undefined) return { time };
  const isKept = time === (present.time ?? false) && date === dateOf(present.default);
  if (!isKept && !isDate(date, time)) {
    complain(
      `${pointer}/default`,
      `${JSON.stringify(date)} has to be a date such as ${time ? '2024-03-05T10:11:00Z' : '2024-03-05'}`,
    );
  }
  return { time, default: { date } };
}

const isDate = (date: string, time: boolean): boolean =>
  (time ? MINUTE : DAY).test(date) && dateFrom(date, time) !== undefined;
