/** What a list offers, and what it offers first. */
import { labelFault, plainLabel } from '../../artifacts/fields/list-values.js';
import { lookup } from '../../artifacts/fields/lookup.js';
import { exceeds, MAX_LABELS } from '../../core/bounds.js';
import { numbersOf, openListOf } from '../../trackers/field-types/canonical.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { groupsOf } from '../../authorization/groups-of.js';
import { type Field, type ListValue } from '../../trackers/field-types/definition.js';
import { colorFault } from '../format/colors.js';
import { DEFAULTS } from '../format/defaults.js';
import { type ListEntry, type ListValueEntry } from '../format/field-schema.js';
import { desired, desiredOrNone } from './member.js';
import {
  shortList,
  refuseDuplicates,
  refuseFaulty,
  groupIds,
  unknownName,
  desiredIds,
  type KnownField,
  type ProjectResolver,
} from './resolver.js';

export function listSpecifics(entry: ListEntry, known: KnownField): Partial<Field> {
  const { present: field, pointer, resolver } = known;
  const bind = desired(entry.bind, field.bind, DEFAULTS.bind);
  if (field.bind !== undefined && field.bind !== bind) {
    resolver.complain(`${pointer}/bind`, `cannot become ${bind}: the list is bound to ${field.bind}`);
  }
  const offer = bind === 'static' ? staticOffer(entry, known) : boundOffer(entry, bind, known);
  const value = desiredOrNone<FieldValue>(
    entry.default === undefined || entry.default === null
      ? entry.default
      : canonical(entry, chosen(entry.default, offer, `${pointer}/default`, resolver)),
    field.default,
  );
  if (entry.default === undefined) {
    refuseHiding(
      idsIn(field.default),
      { before: field.values, after: offer.members.values },
      'the default of the field',
      pointer,
      resolver,
    );
  }
  return { bind, ...offer.members, ...(value !== undefined && { default: value }) };
}

const idsIn = (value: FieldValue | undefined): readonly (number | null)[] => [
  ...numbersOf(value),
  ...openListOf(value).map((item) => ('bound' in item ? item.bound : null)),
];

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
  complain(`${pointer}/values`, `hides ${shortList(labels)}, which ${keeper} names: change that too`);
}

function chosen(
  names: string | readonly string[],
  { idOf, faultOf, names: known }: Offer,
  pointer: string,
  { complain }: ProjectResolver,
): readonly number[] {
  const ids = [names].flat().flatMap((name, index) => {
    const id = idOf(name);
    const fault = id === undefined ? unknownName(name, known) : faultOf(id, name);
    if (fault !== undefined) complain(typeof names === 'string' ? pointer : `${pointer}/${index}`, fault);
    return id ?? [];
  });
  return [...new Set(ids)];
}

interface Offer {
  readonly members: Pick<Field, 'values' | 'from'>;
  readonly idOf: (name: string) => number | undefined;
  /** Why a default cannot name it. What is stored may stay. */
  readonly faultOf: (id: number, name: string) => string | undefined;
  /** Those that can be listed. */
  readonly names: readonly string[];
}

function canonical({ type }: ListEntry, ids: readonly number[]): FieldValue {
  return type === 'tbl' ? ids.map((bound) => ({ bound })) : ids;
}

function staticOffer({ values: entries, from }: ListEntry, known: KnownField): Offer {
  const { present: field, pointer, resolver } = known;
  const { id, values: present = [] } = field;
  if (from !== undefined) resolver.complain(`${pointer}/from`, 'is for lists bound to users or user groups');
  if (entries === undefined) return offerOf(present, present, field);
  const labels = (entries ?? []).map(({ label }) => storedLabel(present, label));
  refuseDuplicates(labels, (index) => `${pointer}/values/${index}/label`, resolver.complain);

  const listed = (entries ?? []).map((entry, index) => {
    const same = valueLabelled(present, entry.label);
    // A label that is known stays as it is stored.
    if (same === undefined)
      refuseFaulty(entry.label, undefined, `${pointer}/values/${index}/label`, newLabelFault, resolver);
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
  return offerOf(values, listed, field);
}

function offerOf(values: readonly ListValue[], named: readonly ListValue[], field: Partial<Field>): Offer {
  const [hidden, before, kept] = [hiddenIn(values), hiddenIn(field.values), new Set(idsIn(field.default))];
  return {
    members: { values },
    idOf: (name) => valueLabelled(named, name)?.id,
    faultOf: (id, label) => (hidden.has(id) && !(before.has(id) && kept.has(id)) ? hiddenFault(label) : undefined),
    names: named.filter((value) => !value.hidden).map(({ label }) => label),
  };
}

const newLabelFault = (label: string): string | undefined => labelFault(plainLabel(label));

const ofLabel = lookup(({ label }: ListValue) => label);
const ofPlainLabel = lookup(({ label }: ListValue) => plainLabel(label));

/** The value of exactly this label, else one of a label that the API takes for the same; of several, the first one. */
export const valueLabelled = (values: readonly ListValue[], label: string): ListValue | undefined =>
  ofLabel(values, label) ?? ofPlainLabel(values, plainLabel(label));

/** The label under which a value is stored, or will be. */
export const storedLabel = (values: readonly ListValue[], label: string): string =>
  valueLabelled(values, label)?.label ?? plainLabel(label);

/** Their ids. */
export const hiddenIn = (values: readonly ListValue[] = []): ReadonlySet<number> =>
  new Set(values.filter(({ hidden }) => hidden).map(({ id }) => id));

export const hiddenFault = (label: string): string => `names ${label}, which is hidden: add hidden: false to the value`;

function desiredValue(
  { label, color, hidden }: ListValueEntry,
  known: ListValue | undefined,
  { newId }: ProjectResolver,
): ListValue {
  return {
    id: known?.id ?? newId('value'),
    label: known?.label ?? plainLabel(label),
    color: desired(color, known?.color, DEFAULTS.valueColor),
    hidden: desired(hidden, known?.hidden, false),
  };
}

function boundOffer(
  { values, from }: ListEntry,
  bind: 'users' | 'user_groups',
  { present: field, pointer, resolver }: KnownField,
): Offer {
  if (values !== undefined) resolver.complain(`${pointer}/values`, 'are for static lists');
  const groups = desiredIds(from, field.from, [], (names) => groupIds(names, `${pointer}/from`, resolver));
  if (from === undefined && groups.length === 0) {
    resolver.complain(`${pointer}/from`, `has to name the groups that a list of ${bind} offers`);
  }
  const kept = new Set(idsIn(field.default));
  const offered = new Set(groups);
  const isOffered = (id: number): boolean => {
    const held = bind === 'users' ? groupsOf({ id }, resolver.members) : [id];
    return [...held].some((group) => offered.has(group));
  };
  return {
    members: { from: groups },
    idOf: bind === 'users' ? resolver.userId : resolver.groupId,
    faultOf: (id, name) => (kept.has(id) || isOffered(id) ? undefined : `is not offered by the list: ${name}`),
    names: [],
  };
}
