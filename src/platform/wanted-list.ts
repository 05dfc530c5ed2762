/** What a list offers, and what it offers first. */
import { type FieldValue } from '../artifacts/field-value.js';
import { type Field, type ListValue } from '../trackers/definition.js';
import { type ListEntry, type ListValueEntry } from './file-shape.js';
import { refuseDuplicates, resolved, type ProjectResolver } from './resolver.js';

export function listSpecifics(
  entry: ListEntry,
  present: Field | undefined,
  pointer: string,
  resolver: ProjectResolver,
): Partial<Field> {
  const { bind } = entry;
  if (present?.bind !== undefined && present.bind !== bind) {
    resolver.complain(`${pointer}/bind`, `cannot become ${bind}: the list is bound to ${present.bind}`);
  }
  const { members, idOf } =
    bind === 'static'
      ? staticOffer(entry, present?.values ?? [], pointer, resolver)
      : boundOffer(entry, bind, pointer, resolver);
  if (entry.default === undefined) return { bind, ...members };
  return { bind, ...members, default: canonical(entry, chosen(entry.default, idOf, `${pointer}/default`, resolver)) };
}

function chosen(
  names: string | readonly string[],
  idOf: Offer['idOf'],
  pointer: string,
  resolver: ProjectResolver,
): readonly number[] {
  if (typeof names !== 'string') return resolved(names, idOf, pointer, resolver);
  const id = idOf(names);
  if (id === undefined) resolver.complain(pointer, `is not known: ${names}`);
  return id === undefined ? [] : [id];
}

interface Offer {
  readonly members: Pick<Field, 'values' | 'from'>;
  readonly idOf: (name: string) => number | undefined;
}

function canonical({ type }: ListEntry, ids: readonly number[]): FieldValue {
  return type === 'tbl' ? ids.map((bound) => ({ bound })) : ids;
}

function staticOffer(
  { values: entries = [], from }: ListEntry,
  present: readonly ListValue[],
  pointer: string,
  resolver: ProjectResolver,
): Offer {
  if (from !== undefined) resolver.complain(`${pointer}/from`, 'is for lists bound to users or user groups');
  const labels = entries.map(({ label }) => label);
  refuseDuplicates(labels, (index) => `${pointer}/values/${index}/label`, resolver.complain);

  const listed = entries.map((entry) => wantedValue(entry, present, resolver));
  const dropped = present.filter(({ label }) => !labels.includes(label));
  const values = [...listed, ...dropped.map((value) => (resolver.prune ? { ...value, hidden: true } : value))];
  return { members: { values }, idOf: (name) => listed.find(({ label }) => label === name)?.id };
}

function wantedValue(
  { label, color, hidden }: ListValueEntry,
  present: readonly ListValue[],
  { newId }: ProjectResolver,
): ListValue {
  const id = present.find((value) => value.label === label)?.id ?? newId('value');
  return { id, label, color, hidden };
}

function boundOffer(
  { values, from = [] }: ListEntry,
  bind: 'users' | 'user_groups',
  pointer: string,
  resolver: ProjectResolver,
): Offer {
  if (values !== undefined) resolver.complain(`${pointer}/values`, 'are for static lists');
  if (from.length === 0) resolver.complain(`${pointer}/from`, `has to name the groups that a list of ${bind} offers`);
  const groups = resolved(from, resolver.groupId, `${pointer}/from`, resolver);
  const groupOf = (name: string): number | undefined => {
    const id = resolver.groupId(name);
    return id !== undefined && groups.includes(id) ? id : undefined;
  };
  return { members: { from: groups }, idOf: bind === 'users' ? resolver.userId : groupOf };
}
