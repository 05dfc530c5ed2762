/** What only some types of field have: sizes, lists and defaults in the form of artifacts' values. */
import { type Field } from '../trackers/definition.js';
import {
  type ContainerEntry,
  type DateEntry,
  type FieldEntry,
  type ListEntry,
  type PermEntry,
  type StringEntry,
  type TextEntry,
} from './file-shape.js';
import { resolved, type ProjectResolver } from './resolver.js';
import { listSpecifics } from './wanted-list.js';

type LeafEntry = Exclude<FieldEntry, ContainerEntry>;

export function specificsOf(
  entry: LeafEntry,
  present: Field | undefined,
  pointer: string,
  resolver: ProjectResolver,
): Partial<Field> {
  if (isListEntry(entry)) return listSpecifics(entry, present, pointer, resolver);
  if (entry.type === 'perm') return permSpecifics(entry, pointer, resolver);
  return plainSpecifics(entry, pointer, resolver);
}

const LIST_TYPES: ReadonlySet<string> = new Set(['sb', 'rb', 'msb', 'cb', 'tbl']);
const isListEntry = (entry: LeafEntry): entry is ListEntry => LIST_TYPES.has(entry.type);

function permSpecifics(entry: PermEntry, pointer: string, resolver: ProjectResolver): Partial<Field> {
  if (entry.default === undefined) return {};
  return { default: resolved(entry.default, resolver.groupId, `${pointer}/default`, resolver) };
}

type PlainEntry = Exclude<LeafEntry, ListEntry | PermEntry>;

function plainSpecifics(entry: PlainEntry, pointer: string, resolver: ProjectResolver): Partial<Field> {
  if (entry.type === 'string') return stringSpecifics(entry, pointer, resolver);
  if (entry.type === 'date') return dateSpecifics(entry, pointer, resolver);
  if (entry.type === 'text') return textSpecifics(entry);
  if (entry.type === 'file') return entry.max_size === undefined ? {} : { maxSize: entry.max_size };
  if (!('default' in entry)) return {};
  return { default: entry.type === 'computed' ? { manual: entry.default } : entry.default };
}

function textSpecifics({ rows, default: text }: TextEntry): Partial<Field> {
  return {
    ...(rows !== undefined && { rows }),
    ...(text !== undefined && { default: { text, format: 'text' } }),
  };
}

function stringSpecifics(
  { max_chars: maxChars, size, default: text }: StringEntry,
  pointer: string,
  { complain }: ProjectResolver,
): Partial<Field> {
  if (text !== undefined && maxChars !== undefined && maxChars > 0 && text.length > maxChars) {
    complain(`${pointer}/default`, `is longer than ${maxChars} characters`);
  }
  return {
    ...(maxChars !== undefined && { maxChars }),
    ...(size !== undefined && { size }),
    ...(text !== undefined && { default: text }),
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

function dateSpecifics(
  { time, default: date }: DateEntry,
  pointer: string,
  { complain }: ProjectResolver,
): Partial<Field> {
  if (date === undefined) return { time };
  if (!(time ? MINUTE : DAY).test(date) || !isInCalendar(date)) {
    complain(`${pointer}/default`, `has to be a date such as ${time ? '2024-03-05T10:11:00Z' : '2024-03-05'}`);
  }
  return { time, default: { date } };
}

function isInCalendar(date: string): boolean {
  const instant = new Date(date);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date.slice(0, 10));
}
