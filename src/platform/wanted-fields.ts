/** The form that a file asks for, with the ids of what exists already. */
import { type GroupId } from '../projects/project.js';
import { allFields } from '../trackers/compiled-tracker.js';
import { type Field, type FieldPermissions } from '../trackers/definition.js';
import { type ContainerEntry, type FieldEntry } from './file-shape.js';
import { refuseDuplicates, resolved, type ProjectResolver } from './resolver.js';
import { specificsOf } from './wanted-field-specifics.js';

export interface WantedForm {
  /** The whole tree; what the file does not list stands at the end of what holds it. */
  readonly fields: readonly Field[];
  /** Fields that the file lists, by name. */
  readonly listed: ReadonlyMap<string, { readonly field: Field; readonly entry: FieldEntry }>;
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
  readonly listed: Map<string, { readonly field: Field; readonly entry: FieldEntry }>;
}

export function wantedFields(
  entries: readonly FieldEntry[],
  present: readonly Field[],
  pointer: string,
  resolver: ProjectResolver,
): WantedForm {
  const all = allEntries(entries, pointer);
  const names = all.map(({ entry }) => entry.name);
  refuseDuplicates(names, (index) => `${all[index]?.pointer ?? pointer}/name`, resolver.complain);

  const form: Form = {
    resolver,
    present: new Map(allFields(present).map((field) => [field.name, field])),
    names: new Set(names),
    listed: new Map(),
  };
  return { fields: arranged(entries, present, pointer, form), listed: form.listed };
}

const isContainerEntry = (entry: FieldEntry): entry is ContainerEntry =>
  entry.type === 'fieldset' || entry.type === 'column';

function allEntries(entries: readonly FieldEntry[], pointer: string): readonly Entry[] {
  return entries.flatMap((entry, index) => {
    const here = `${pointer}/${index}`;
    const inner = isContainerEntry(entry) ? allEntries(entry.fields, `${here}/fields`) : [];
    return [{ entry, pointer: here }, ...inner];
  });
}

function arranged(
  entries: readonly FieldEntry[],
  present: readonly Field[],
  pointer: string,
  form: Form,
): readonly Field[] {
  const wanted = entries.map((entry, index) => wantedField(entry, `${pointer}/${index}`, form));
  return [...wanted, ...unlisted(present, form)];
}

/** A field that moved elsewhere in the file is there, and not here any more. */
function unlisted(present: readonly Field[], form: Form): readonly Field[] {
  const { prune } = form.resolver;
  return present
    .filter(({ name }) => !form.names.has(name))
    .map((field) => ({
      ...field,
      used: prune ? false : field.used,
      ...(field.fields && { fields: unlisted(field.fields, form) }),
    }));
}

function wantedField(entry: FieldEntry, pointer: string, form: Form): Field {
  const { resolver } = form;
  const present = presentField(entry, pointer, form);
  const field: Field = {
    id: present?.id ?? resolver.newId('field'),
    name: entry.name,
    label: entry.label,
    description: entry.description,
    type: entry.type,
    required: 'required' in entry ? entry.required : false,
    used: true,
    permissions: permissionsOf(entry.permissions, `${pointer}/permissions`, resolver),
    ...(isContainerEntry(entry)
      ? { fields: arranged(entry.fields, present?.fields ?? [], `${pointer}/fields`, form) }
      : specificsOf(entry, present, pointer, resolver)),
  };
  form.listed.set(entry.name, { field, entry });
  return field;
}

function presentField({ name, type }: FieldEntry, pointer: string, { present, resolver }: Form): Field | undefined {
  const field = present.get(name);
  if (field !== undefined && field.type !== type) {
    resolver.complain(`${pointer}/type`, `cannot become ${type}: the field is of type ${field.type}`);
  }
  return field;
}

function permissionsOf(
  { read, submit, update }: FieldEntry['permissions'],
  pointer: string,
  resolver: ProjectResolver,
): FieldPermissions {
  const groupsOf = (names: readonly string[], action: string): readonly GroupId[] =>
    resolved(names, resolver.groupId, `${pointer}/${action}`, resolver);
  return {
    read: groupsOf(read, 'read'),
    submit: submit === undefined ? null : groupsOf(submit, 'submit'),
    update: update === undefined ? null : groupsOf(update, 'update'),
  };
}
