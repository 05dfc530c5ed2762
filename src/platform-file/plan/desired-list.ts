/** What a list offers, and what it offers first. */
import { exceeds, MAX_LABELS } from '../../core/bounds.js';
import { numbersOf, openListOf } from '../../trackers/field-types/canonical.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { type Field, type ListValue } from '../../trackers/field-types/definition.js';
import { colorFault } from '../format/colors.js';
import { DEFAULTS } from '../format/defaults.js';
import { type ListEntry, type ListValueEntry } from '../format/field-schema.js';
import { desired, desiredOrNone } from './member.js';
import {
  MAX_NAMED,
  refuseDuplicates,
  refuseFaultyLabel,
  resolved,
  unknownName,
  desiredIds,
  type KnownField,
  type ProjectResolver,
} from './resolver.js';

export function listSpecifics(entry: ListEntry, field: KnownField): Partial<Field> {
  const { present: known, pointer, resolver } = field;
  const bind = desired(entry.bind, known.bind, DEFAULTS.bind);
  if (known.bind !== undefined && known.bind !== bind) {
    resolver.complain(`${pointer}/bind`, `cannot become ${bind}: the list is bound to ${known.bind}`);
  }
  const offer = bind === 'static' ? staticOffer(entry, field) : boundOffer(entry, bind, field);
  const value = desiredOrNone<FieldValue>(
    entry.default === undefined || entry.default === null
      ? entry.default
      : canonical(entry, chosen(entry.default, offer, `${pointer}/default`, resolver)),
    known.default,
  );
  if (entry.default === undefined) {
    const ids = [
      ...numbersOf(known.default),
      ...openListOf(known.default).map((item) => ('bound' in item ? item.bound : null)),
    ];
    refuseHiding(
      ids,
      { before: known.values, after: offer.members.values },
      'the default of the field',
      pointer,
      resolver,
    );
  }
  return { bind, ...offer.members, ...(value !== undefined && { default: value }) };
}

interface Values {
  readonly before: readonly ListValue[] | undefined;
  readonly after: readonly ListValue[] | undefined;
}

/** What stays and names a value needs it. A value that is hidden already, by an earlier release, is none that the file hides. */
export function refuseHiding(
  ids: readonly (number | null)[],
  { before = [], after = [] }: Values,
  keeper: string,
  pointer: string,
  { complain }: Pick<ProjectResolver, 'complain'>,
): void {
  const needed = new Set(ids);
  const shown = new Set(before.filter(({ id, hidden }) => !hidden && needed.has(id)).map(({ id }) => id));
  const labels = after.filter(({ id, hidden }) => hidden && shown.has(id)).map(({ label }) => label);
  if (labels.length === 0) return;
  complain(
    `${pointer}/values`,
    `hides ${labels.slice(0, MAX_NAMED).join(', ')}, which ${keeper} names: change that too`,
  );
}

function chosen(
  names: string | readonly string[],
  { idOf, names: known }: Offer,
  pointer: string,
  resolver: ProjectResolver,
): readonly number[] {
  if (typeof names !== 'string') return resolved(names, idOf, pointer, resolver, known);
  const id = idOf(names);
  if (id === undefined) resolver.complain(pointer, unknownName(names, known));
  return id === undefined ? [] : [id];
}

interface Offer {
  readonly members: Pick<Field, 'values' | 'from'>;
  readonly idOf: (name: string) => number | undefined;
  /** Those that can be listed. */
  readonly names: readonly string[];
}

function canonical({ type }: ListEntry, ids: readonly number[]): FieldValue {
  return type === 'tbl' ? ids.map((bound) => ({ bound })) : ids;
}

function staticOffer({ values: entries, from }: ListEntry, field: KnownField): Offer {
  const { present: known, pointer, resolver } = field;
  const { id, values: present = [] } = known;
  if (from !== undefined) resolver.complain(`${pointer}/from`, 'is for lists bound to users or user groups');
  if (entries === undefined) return offerOf(present, present);
  const labels = (entries ?? []).map(({ label }) => label);
  refuseDuplicates(labels, (index) => `${pointer}/values/${index}/label`, resolver.complain);

  // Of values with the same label the first one counts.
  const byLabel = new Map(present.toReversed().map((value) => [value.label, value]));
  const listed = (entries ?? []).map((entry, index) => {
    const same = byLabel.get(entry.label);
    refuseFaultyLabel(entry.label, same?.label, `${pointer}/values/${index}/label`, resolver);
    // Null and '' are no color.
    const fault = colorFault(entry.color || null, same?.color);
    if (fault !== undefined) resolver.complain(`${pointer}/values/${index}/color`, fault);
    return desiredValue(entry, same, resolver);
  });
  const named = new Set(labels);
  const dropped = present.filter(({ label }) => !named.has(label)).map((value) => ({ ...value, hidden: true }));
  const values = [...listed, ...dropped];
  const added = id === undefined ? 0 : resolver.present.openValues(id).length;
  if (exceeds(MAX_LABELS, added + values.length, added + present.length)) {
    const others = 'those that were dropped or that users added among them';
    resolver.complain(`${pointer}/values`, `holds at most ${MAX_LABELS} labels, ${others}`);
  }
  return offerOf(values, listed);
}

const offerOf = (values: readonly ListValue[], named: readonly ListValue[]): Offer => ({
  members: { values },
  idOf: (name) => named.find(({ label }) => label === name)?.id,
  names: named.map(({ label }) => label),
});

function desiredValue(
  { label, color, hidden }: ListValueEntry,
  known: ListValue | undefined,
  { newId }: ProjectResolver,
): ListValue {
  return {
    id: known?.id ?? newId('value'),
    label,
    color: desired(color, known?.color, DEFAULTS.valueColor),
    hidden: desired(hidden, known?.hidden, false),
  };
}

function boundOffer(
  { values, from }: ListEntry,
  bind: 'users' | 'user_groups',
  { present, pointer, resolver }: KnownField,
): Offer {
  if (values !== undefined) resolver.complain(`${pointer}/values`, 'are for static lists');
  const groups = desiredIds(from, present.from, [], (names) =>
    resolved(names, resolver.groupId, `${pointer}/from`, resolver, resolver.groupNames),
  );
  if (from === undefined && groups.length === 0) {
    resolver.complain(`${pointer}/from`, `has to name the groups that a list of ${bind} offers`);
  }
  const groupOf = (name: string): number | undefined => {
    const id = resolver.groupId(name);
    return id !== undefined && groups.includes(id) ? id : undefined;
  };
  return { members: { from: groups }, idOf: bind === 'users' ? resolver.userId : groupOf, names: [] };
}
