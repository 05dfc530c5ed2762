import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { isContainer } from '../../trackers/compiled-tracker.js';
import { type GroupId } from '../../projects/project-events.js';
import { type Field, type ListValue } from '../../trackers/field-types/definition.js';
import { isReadOnly } from '../../trackers/field-types/read-only-types.js';

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
  const { name, label, type, description } = field;
  return {
    name,
    label,
    type,
    description,
    permissions: exportedPermissions(field, names),
    ...exportedSpecifics(field, names),
  };
}

function exportedPermissions({ permissions: { read, submit, update } }: Field, { groups }: Names): object {
  return { read: groups(read), submit: submit && groups(submit), update: update && groups(update) };
}

function exportedSpecifics(field: Field, names: Names): object {
  const { type } = field;
  if (isContainer(field)) {
    return { fields: usedFields(field.fields ?? []).map((inner) => exportedField(inner, names)) };
  }
  if (isReadOnly(type)) return {};
  return {
    ...(type !== 'computed' && { required: field.required }),
    ...exportedMeasures(field),
    ...exportedList(field, names),
    ...(type !== 'file' && type !== 'art_link' && { default: inWords(field.default ?? null, field, names) }),
  };
}

function exportedMeasures({ type, maxChars, size, rows, time, maxSize }: Field): object {
  if (type === 'string') return { max_chars: orNull(maxChars), size: orNull(size) };
  if (type === 'text') return { rows: orNull(rows) };
  if (type === 'file') return { max_size: orNull(maxSize) };
  return { time };
}

const orNull = (measure: number | undefined): number | null => measure ?? null;

function exportedList({ bind, values, from }: Field, { groups }: Names): object {
  if (bind === undefined) return {};
  return { bind, values: values?.map(exportedValue), from: from === undefined ? undefined : groups(from) };
}

const exportedValue = ({ label, color, hidden }: ListValue): object => ({ label, color, hidden });

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
