/** tbl: values of a list, and labels that are added to it. */
import { lookup, lookupAll } from './lookup.js';
import { type Field } from '../../trackers/field-types/definition.js';
import { type OpenValuesView } from '../../trackers/tracker-view.js';
import { type UserView } from '../../users/user-view.js';
import { type FieldValue, type OpenListValue } from '../../trackers/field-types/field-value.js';
import { itemsFault } from './value-bounds.js';
import { openItemKey, openListOf } from '../../trackers/field-types/canonical.js';
import {
  currentValue,
  idFrom,
  isObject,
  NOTHING,
  readAll,
  shown,
  type FieldInput,
  type Nothing,
  type Parse,
  type ParseContext,
} from './field-input.js';
import { bindingOf, labelFault, plainLabel, type ListContext, type ReadListContext } from './list-values.js';

type AddedLabel = OpenValuesView['values'][number];

type Item = OpenListValue | { readonly newLabel: string };

/** What an open list shall hold, before new labels have their numbers. */
export type OpenListWish = readonly Item[];

export const hasNumber = (item: Item): item is OpenListValue => !('newLabel' in item);

export const newLabels = (wish: OpenListWish): readonly string[] =>
  wish.flatMap((item) => (hasNumber(item) ? [] : [item.newLabel]));

/** The second step: each new label under the number that the list's stream has given it. */
export const numbered = (wish: OpenListWish, numberOf: (label: string) => number): readonly OpenListValue[] =>
  wish.map((item) => (hasNumber(item) ? item : { open: numberOf(item.newLabel), label: item.newLabel }));

export const parseOpenList: Parse<OpenListWish> = (field, input, context) => {
  const source = submittedItems(input, context);
  if (source === NOTHING) return NOTHING;
  const { items, pointer, read } = source;
  const held = openListOf(currentValue(field, context));
  const tooMany = itemsFault(items.length, held.length);
  if (tooMany !== undefined) return context.refuse(pointer, tooMany);
  const bound = new Set(held.flatMap((item) => ('bound' in item ? [item.bound] : [])));
  const list = { ...context, bound, held: shownItems(field, held, context), offered: offeredByAddress(field, context) };
  const wish = readAll(items, (item, index) => read(item, field, below(list, `${pointer}/${index}`)));
  return wish === NOTHING ? NOTHING : [...new Map(wish.flat().map((item) => [keyOf(item), item])).values()];
};

interface ListReading extends ParseContext {
  /** Values of the list that it holds already. */
  readonly bound: ReadonlySet<number>;
  readonly held: readonly ShownItem[];
  /** The id of the first user with the address whom the list offers. */
  readonly offered: (address: string) => number | undefined;
}

const shownAs = lookupAll(({ label }: ShownItem) => label);
const withAddress = lookupAll(({ email }: UserView) => email);

/** Those who share an address are looked at once. */
function offeredByAddress(field: Field, context: ParseContext): ListReading['offered'] {
  const known = new Map<string, number | undefined>();
  return (address) => {
    if (!known.has(address)) {
      const users = withAddress(context.definitions.users(), address);
      known.set(address, users.find(({ id }) => bindingOf(field).offers(field, id, context))?.id);
    }
    return known.get(address);
  };
}

interface Source {
  readonly items: readonly unknown[];
  readonly pointer: string;
  readonly read: ReadItem;
}

function submittedItems(input: FieldInput, { refuse }: ParseContext): Source | Nothing {
  const { bind_value_ids: labels, value } = input;
  const objects = isObject(value) ? value['bind_value_objects'] : undefined;
  if (Array.isArray(objects)) return { items: objects, pointer: '/value/bind_value_objects', read: fromObject };
  if (Array.isArray(labels)) return { items: labels, pointer: '/bind_value_ids', read: fromLabel };
  if (value === null) return { items: [], pointer: '', read: fromLabel };
  return refuse('', 'takes an array of labels in "bind_value_ids" or of objects in "bind_value_objects" of "value"');
}

const below = (context: ListReading, prefix: string): ListReading => ({
  ...context,
  refuse: (pointer, message) => context.refuse(`${prefix}${pointer}`, message),
});

const keyOf = (item: Item): string => (hasNumber(item) ? openItemKey(item) : `n${item.newLabel}`);

const addedOfLabel = lookup(({ label }: AddedLabel) => plainLabel(label));
const addedOfNumber = lookup(({ number }: AddedLabel) => number);

/** All that a label stands for: a value of the list, a label that was added to it, or both. */
export function itemsLabelled(field: Field, given: string, context: ListContext): readonly OpenListValue[] {
  const label = plainLabel(given);
  const bound = bindingOf(field).named(field, label, context);
  const open = addedOfLabel(context.definitions.openValues(field.id), label);
  return [...(bound === undefined ? [] : [{ bound }]), ...(open ? [{ open: open.number, label: open.label }] : [])];
}

/** What is shown under the label already stays, even if the list has changed since. */
function fromLabel(json: unknown, field: Field, context: ListReading): ReturnType<ReadItem> {
  if (typeof json !== 'string') return context.refuse('', `takes labels, not ${shown(json)}`);
  const held = shownAs(context.held, json);
  if (held.length > 0) return held.map(({ item }) => item);
  const label = plainLabel(json);
  const fault = labelFault(label);
  if (fault !== undefined) return context.refuse('', fault);
  const bound = bindingOf(field).named(field, label, context);
  if (bound !== undefined) return boundValue(bound, json, field, context);
  const open = addedOfLabel(context.definitions.openValues(field.id), label);
  if (open !== undefined) return { open: open.number, label: open.label };
  const instead = bindingOf(field).insteadOf(label);
  if (instead === undefined) return { newLabel: label };
  return context.refuse('', `does not offer ${shown(json)}; use ${instead}`);
}

/** What the list holds already may stay, even if it has changed since. */
function boundValue(id: number | undefined, json: unknown, field: Field, context: ListReading): Item | Nothing {
  if (id !== undefined && (context.bound.has(id) || bindingOf(field).offers(field, id, context))) return { bound: id };
  return context.refuse('', `does not offer ${shown(json)}`);
}

type ReadItem = (json: unknown, field: Field, context: ListReading) => Item | readonly Item[] | Nothing;

/** An object names a value by the first of these members that it has. */
const MEMBERS: readonly { readonly name: string; readonly bind?: Field['bind']; readonly read: ReadItem }[] = [
  { name: 'id', read: fromId },
  { name: 'label', read: fromLabel },
  { name: 'username', bind: 'users', read: fromName },
  { name: 'email', bind: 'users', read: fromEmail },
  { name: 'short_name', bind: 'user_groups', read: fromName },
];

function fromObject(json: unknown, field: Field, context: ListReading): ReturnType<ReadItem> {
  if (!isObject(json)) return context.refuse('', 'takes objects in "bind_value_objects"');
  const isGiven = (name: string): boolean => json[name] !== undefined && json[name] !== null;
  const given = MEMBERS.filter(({ name, bind = field.bind }) => bind === field.bind && isGiven(name));
  const member = given.find(({ name }) => name !== 'id' || isId(json)) ?? given[0];
  if (member === undefined) return context.refuse('', 'takes an "id", a "label", or the name of what it is bound to');
  return member.read(json[member.name], field, below(context, `/${member.name}`));
}

/** Tuleap's own form sends what was typed as `id` and as `label`. */
const isId = ({ id, label }: Readonly<Record<string, unknown>>): boolean =>
  typeof id !== 'string' || (id !== label && /^(?:[ob]|\d+_)?\d+$/.test(id));

/** `o7` is a label that was added; `b12` and 12 are one value of the list. */
function fromId(json: unknown, field: Field, context: ListReading): Item | Nothing {
  const [, prefix, digits] = (typeof json === 'string' && /^([ob])(\d+)$/.exec(json)) || [];
  const id = prefix === undefined ? bindingOf(field).idFrom(json, context.projectId) : idFrom(digits);
  if (id === undefined || prefix !== 'o') return boundValue(id, json, field, context);
  const known = addedOfNumber(context.definitions.openValues(field.id), id);
  return known ? { open: id, label: known.label } : boundValue(undefined, json, field, context);
}

/** A name, unlike a label, stands for what exists. */
function fromName(json: unknown, field: Field, context: ListReading): Item | Nothing {
  const id = typeof json === 'string' ? bindingOf(field).named(field, json, context) : undefined;
  return boundValue(id, json, field, context);
}

function fromEmail(json: unknown, field: Field, context: ListReading): ReturnType<ReadItem> {
  const bound = typeof json === 'string' ? context.offered(json) : undefined;
  return bound === undefined ? fromLabel(json, field, context) : { bound };
}

/** The members of an open list's representation. */
export function openListParts(field: Field, value: FieldValue, context: ReadListContext) {
  const items = shownItems(field, openListOf(value), context);
  return {
    bind_value_objects: items.map(({ representation }) => representation(context.viewer)),
    bind_value_ids: items.map(({ label }) => label),
    bind_type: bindingOf(field).type,
  };
}

type ShownItem = ReturnType<typeof shownItems>[number];

export function shownItems(field: Field, held: readonly OpenListValue[], context: ListContext) {
  const { chosen } = bindingOf(field);
  return held.flatMap((item) => {
    const found = 'open' in item ? openValue(item) : chosen(field, item.bound, context);
    return found === undefined ? [] : [{ item, ...found }];
  });
}

function openValue({ open, label }: { readonly open: number; readonly label: string }) {
  const representation = { id: `o${open}`, label, color: null, tlp_color: null, is_hidden: false };
  return { label, displayed: label, representation: () => representation };
}
