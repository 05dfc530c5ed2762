import { isDeepStrictEqual } from 'node:util';
import { type FieldValue } from '../artifacts/field-value.js';
import { isContainer } from '../trackers/compiled-tracker.js';
import { ALL_USERS, type GroupId } from '../projects/project.js';
import { type Field, type ListValue } from '../trackers/definition.js';

/** What ids are called in a file. */
export interface Names {
  readonly users: (ids: readonly number[]) => readonly string[];
  readonly groups: (ids: readonly GroupId[]) => readonly string[];
}

/** What an unused container holds is shown in its place. */
export function usedFields(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => (field.used ? field : usedFields(field.fields ?? [])));
}

export function exportedField(field: Field, names: Names): object {
  const { name, label, type, description, required, maxChars, size, rows, time, maxSize } = field;
  return {
    name,
    label,
    type,
    description: description || undefined,
    required: required || undefined,
    permissions: exportedPermissions(field, names),
    max_chars: maxChars,
    size,
    rows,
    time: time ? true : undefined,
    max_size: maxSize,
    ...exportedList(field, names),
    default: field.default === undefined ? undefined : inWords(field.default, field, names),
    fields: isContainer(field) ? usedFields(field.fields ?? []).map((inner) => exportedField(inner, names)) : undefined,
  };
}

function exportedPermissions({ permissions: { read, submit, update } }: Field, { groups }: Names): object | undefined {
  if (submit === null && update === null && isDeepStrictEqual(read, [ALL_USERS])) return undefined;
  return {
    read: groups(read),
    submit: submit === null ? undefined : groups(submit),
    update: update === null ? undefined : groups(update),
  };
}

function exportedList({ bind, values, from }: Field, { groups }: Names): object {
  if (bind === undefined) return {};
  return { bind, values: values?.map(exportedValue), from: from === undefined ? undefined : groups(from) };
}

const exportedValue = ({ label, color, hidden }: ListValue): object => ({
  label,
  color: color || undefined,
  hidden: hidden || undefined,
});

/** The opposite of what a file's default becomes. */
function inWords(value: FieldValue, field: Field, names: Names): unknown {
  if (value === null || typeof value !== 'object') return value;
  if ('text' in value) return value.text;
  if ('date' in value) return value.date;
  if ('manual' in value) return value.manual;
  if ('auto' in value) return undefined;
  return choice(field.type, namesOf(value.flatMap(idOf), field, names));
}

function choice(type: Field['type'], chosen: readonly string[]): unknown {
  return type === 'sb' || type === 'rb' ? chosen[0] : chosen;
}

type Item = Extract<FieldValue, readonly unknown[]>[number];

function idOf(item: Item): number | readonly [] {
  if (typeof item === 'number') return item;
  return 'bound' in item ? item.bound : [];
}

function namesOf(ids: readonly number[], { bind, values = [] }: Field, names: Names): readonly string[] {
  if (bind === 'users') return names.users(ids);
  if (bind !== 'static') return names.groups(ids);
  return ids.flatMap((id) => values.find((value) => value.id === id)?.label ?? []);
}
