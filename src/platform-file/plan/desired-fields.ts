/** The form that a file asks for, with the ids of what exists already. */
import { valueFault } from '../../artifacts/fields/value-bounds.js';
import { type GroupId } from '../../projects/project-events.js';
import { allFields, type Field, type FieldPermissions } from '../../trackers/field-types/definition.js';
import { DEFAULTS } from '../format/defaults.js';
import { type ContainerEntry, type FieldEntry } from '../format/field-schema.js';
import { inside, desired, withLeftOut } from './member.js';
import {
  desiredDescription,
  refuseDuplicates,
  refuseFaultyLabel,
  groupIds,
  desiredIds,
  type ProjectResolver,
} from './resolver.js';
import { specificsOf } from './desired-field-specifics.js';

export interface DesiredForm {
  /** The whole tree. */
  readonly fields: readonly Field[];
  /** Those that the file lists, and those that stay in use, by name. */
  readonly offered: ReadonlyMap<string, OfferedField>;
}

export interface OfferedField {
  readonly field: Field;
  /** Undefined: the file does not list it. */
  readonly listed: Entry | undefined;
}

interface Entry {
  readonly entry: FieldEntry;
  readonly pointer: string;
}

interface Form {
  readonly resolver: ProjectResolver;
  /** By name. */
  readonly present: ReadonlyMap<string, Field>;
  readonly names: ReadonlySet<string>;
  readonly listed: Map<string, Entry>;
}

export function desiredFields(
  entries: readonly FieldEntry[],
  present: readonly Field[],
  pointer: string,
  resolver: ProjectResolver,
): DesiredForm {
  const all = allEntries(entries, pointer);
  const names = all.map(({ entry }) => entry.name);
  refuseDuplicates(names, (index) => `${all[index]?.pointer ?? pointer}/name`, resolver.complain);

  const form: Form = {
    resolver,
    present: new Map(allFields(present).map((field) => [field.name, field])),
    names: new Set(names),
    listed: new Map(),
  };
  const fields = arranged(entries, present, pointer, form);
  const inUse = allFields(fields).filter(({ used }) => used);
  const offered = new Map(inUse.map((field) => [field.name, { field, listed: form.listed.get(field.name) }]));
  return { fields, offered };
}

const isContainerEntry = (entry: FieldEntry): entry is ContainerEntry =>
  entry.type === 'fieldset' || entry.type === 'column';

function allEntries(entries: readonly FieldEntry[], pointer: string): readonly Entry[] {
  return entries.flatMap((entry, index) => {
    const here = `${pointer}/${index}`;
    const inner = isContainerEntry(entry) ? allEntries(entry.fields ?? [], `${here}/fields`) : [];
    return [{ entry, pointer: here }, ...inner];
  });
}

function arranged(
  entries: readonly FieldEntry[],
  present: readonly Field[],
  pointer: string,
  form: Form,
): readonly Field[] {
  const listed = entries.map((entry, index) => desiredField(entry, `${pointer}/${index}`, form));
  const leftOut = unlisted(present, form, form.resolver.prune);
  // What goes out of use goes to the end; all else stays where it is.
  const used = new Map(present.map(({ id, used: isUsed }) => [id, isUsed]));
  const isDropped = (field: Field): boolean => !field.used && used.get(field.id) === true;
  const staying = leftOut.filter((field) => !isDropped(field));
  return [...withLeftOut(listed, staying, present), ...leftOut.filter(isDropped)];
}

/** A field that moved elsewhere in the file is there, and not here any more. */
function unlisted(present: readonly Field[], form: Form, isPruned: boolean): readonly Field[] {
  return present
    .filter(({ name }) => !form.names.has(name))
    .map((field) => ({
      ...field,
      used: isPruned ? false : field.used,
      ...(field.fields && { fields: unlisted(field.fields, form, isPruned) }),
    }));
}

function desiredField(entry: FieldEntry, pointer: string, form: Form): Field {
  const { resolver } = form;
  const present: Partial<Field> = presentField(entry, pointer, form) ?? {};
  refuseFaultyLabel(entry.label, present.label, `${pointer}/label`, resolver);
  const field: Field = {
    id: present.id ?? resolver.newId('field'),
    name: entry.name,
    label: entry.label,
    description: desiredDescription(entry.description, present.description, pointer, resolver),
    type: entry.type,
    required: desired('required' in entry ? entry.required : undefined, present.required, false),
    used: true,
    permissions: permissionsOf(entry.permissions, present.permissions, `${pointer}/permissions`, resolver),
    ...(isContainerEntry(entry)
      ? { fields: innerFields(entry, present.fields ?? [], `${pointer}/fields`, form) }
      : specificsOf(entry, { present, pointer, resolver })),
  };
  const fault = field.default === undefined ? undefined : valueFault(field.default, present.default);
  if (fault !== undefined) resolver.complain(`${pointer}/default`, fault);
  form.listed.set(entry.name, { entry, pointer });
  return field;
}

function innerFields(
  { fields }: ContainerEntry,
  present: readonly Field[],
  pointer: string,
  form: Form,
): readonly Field[] {
  return fields === undefined ? unlisted(present, form, false) : arranged(fields, present, pointer, form);
}

function presentField({ name, type }: FieldEntry, pointer: string, { present, resolver }: Form): Field | undefined {
  const field = present.get(name);
  if (field !== undefined && field.type !== type) {
    resolver.complain(`${pointer}/type`, `cannot become ${type}: the field is of type ${field.type}`);
  }
  return field;
}

function permissionsOf(
  named: FieldEntry['permissions'],
  present: FieldPermissions | undefined,
  pointer: string,
  resolver: ProjectResolver,
): FieldPermissions {
  const groupsOf = (names: readonly string[], action: string): readonly GroupId[] =>
    groupIds(names, `${pointer}/${action}`, resolver);
  const listOrTracker = (action: 'submit' | 'update'): readonly GroupId[] | null => {
    const names = inside(named, action);
    if (names === undefined) return present?.[action] ?? null;
    return names && groupsOf(names, action);
  };
  return {
    read: desiredIds(inside(named, 'read'), present?.read, DEFAULTS.read, (names) => groupsOf(names, 'read')),
    submit: listOrTracker('submit'),
    update: listOrTracker('update'),
  };
}
