/** What a request writes: `values` and `values_by_field`, from JSON to canonical values. */
import { pointerTo } from '../../core/problem.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import { type FieldValue, type FieldValues } from '../../trackers/field-types/field-value.js';
import { valueFault } from './value-bounds.js';
import { isList } from '../../trackers/field-types/canonical.js';
import { parseComputed } from './computed.js';
import { parseDate } from './dates.js';
import {
  currentValue,
  idFrom,
  isObject,
  NOTHING,
  shown,
  type FieldInput,
  type Nothing,
  type Parse,
  type ParseContext,
  type Refuse,
  type WriteContext,
} from './field-input.js';
import { placesIn, saysNothing, type PlaceOf } from './input/places.js';
import { parseFiles } from './files.js';
import { parseLinks, type LinkWish } from './links.js';
import { parseFloating, parseInteger } from './numbers.js';
import { hasNumber, numbered, parseOpenList, type OpenListWish } from './open-list.js';
import { parsePermissions } from './permissions.js';
import { ignore, refuseNumber } from './read-only.js';
import { parseSelection } from './selection.js';
import { parseString, parseText } from './text.js';
import { withoutViolations } from './violations.js';

interface WrittenLinks extends LinkWish {
  /** The element that says so: where it names an end is looked up only if the end is refused. */
  readonly input: FieldInput;
}

/** By field id. */
export interface ParsedValues {
  /** Forward links are in here too. */
  readonly values: FieldValues;
  /** Open lists with labels that have no number yet: they join `values` through `withNumbers`. */
  readonly openLists: ReadonlyMap<number, OpenListWish>;
  /** All that was said of links: their other ends are still to be looked up, and the reverse ones to be written. */
  readonly links: ReadonlyMap<number, WrittenLinks>;
  /** Where in the body each field that is written stands. */
  readonly pointers: ReadonlyMap<number, string>;
  /** Where exactly the value of a field stands. */
  readonly placeOf: PlaceOf;
}

const PARSERS: Readonly<Record<Exclude<FieldType, 'tbl' | 'art_link'>, Parse<FieldValue>>> = {
  fieldset: ignore,
  column: ignore,
  string: parseString,
  text: parseText,
  int: parseInteger,
  float: parseFloating,
  date: parseDate,
  sb: parseSelection,
  rb: parseSelection,
  msb: parseSelection,
  cb: parseSelection,
  file: parseFiles,
  perm: parsePermissions,
  computed: parseComputed,
  aid: refuseNumber,
  atid: refuseNumber,
  subon: ignore,
  subby: ignore,
  lud: ignore,
  luby: ignore,
};

const BY_FIELD_TYPES: ReadonlySet<FieldType> = new Set(['string', 'text', 'int', 'float', 'computed']);

interface Element {
  readonly field: Field;
  readonly input: FieldInput;
  readonly pointer: string;
}

/** Of several elements for one field the last counts. Throws one Problem that lists all that is wrong. */
export function parseValues(
  tracker: CompiledTracker,
  inputs: readonly unknown[],
  context: WriteContext,
  pointer?: string,
): ParsedValues {
  return withoutViolations((refuse) => {
    const refuseAt: Refuse = (place, message) => refuse(pointer ?? place, message);
    const elements = inputs
      .map((input, index) => elementOf(tracker, input, pointer ?? `/values/${index}`, refuseAt))
      .filter(isElement);
    const lastOfEach = [...new Map(elements.map((element) => [element.field.id, element])).values()];
    const placeOf = placesIn(lastOfEach, pointer ?? '/values');
    return { ...parseElements(tracker, lastOfEach, context, refuseAt), placeOf };
  });
}

/** The same for an object by names of fields. */
export function parseValuesByField(tracker: CompiledTracker, inputs: FieldInput, context: WriteContext): ParsedValues {
  return withoutViolations((refuse) => {
    const named = Object.entries(inputs).map(([name, input]) => namedElement(tracker, name, input, refuse));
    const elements = named.filter(isElement);
    return { ...parseElements(tracker, elements, context, refuse), placeOf: placesIn(elements, '/values_by_field') };
  });
}

const isElement = (element: Element | Nothing): element is Element => element !== NOTHING;

/** The values with every open list in them. */
export function withNumbers(
  { values, openLists }: ParsedValues,
  numberOf: (fieldId: number, label: string) => number,
): FieldValues {
  const lists = [...openLists].map(
    ([id, wish]) => [String(id), numbered(wish, (label) => numberOf(id, label))] as const,
  );
  return { ...values, ...Object.fromEntries(lists) };
}

function elementOf(tracker: CompiledTracker, input: unknown, pointer: string, refuse: Refuse): Element | Nothing {
  if (!isObject(input)) return refuse(pointer, 'An element of "values" has to be an object');
  const id = idFrom(input['field_id']);
  if (id === undefined)
    return refuse(`${pointer}/field_id`, 'An element of "values" names its field by an integer "field_id"');
  const field = tracker.fieldById(id);
  return field === undefined ? refuse(`${pointer}/field_id`, `Unknown field ${id}`) : { field, input, pointer };
}

function namedElement(tracker: CompiledTracker, name: string, input: unknown, refuse: Refuse): Element | Nothing {
  const pointer = `/values_by_field${pointerTo(name)}`;
  const field = tracker.fieldNamed(name);
  if (field === undefined) return refuse(pointer, `Unknown field ${shown(name)}`);
  if (!BY_FIELD_TYPES.has(field.type)) return refuse(pointer, `${field.label}: cannot be written by name`);
  return isObject(input)
    ? { field, input, pointer }
    : refuse(pointer, `${field.label}: takes an object with its value`);
}

interface Collected {
  readonly values: Map<string, FieldValue>;
  readonly openLists: Map<number, OpenListWish>;
  readonly links: Map<number, WrittenLinks>;
}

function parseElements(
  tracker: CompiledTracker,
  elements: readonly Element[],
  context: WriteContext,
  refuse: Refuse,
): Omit<ParsedValues, 'placeOf'> {
  const { projectId } = tracker.view;
  const written = elements.filter((element) => !saysNothing(element, context));
  const collected: Collected = { values: new Map(), openLists: new Map(), links: new Map() };
  for (const { field, input, pointer } of written) {
    const refuseElement: Refuse = (below, message) => refuse(`${pointer}${below}`, `${field.label}: ${message}`);
    collect(field, input, { ...context, projectId, refuse: refuseElement }, collected);
  }
  const { values, openLists, links } = collected;
  const isCollected = ({ id }: Field): boolean => values.has(String(id)) || openLists.has(id) || links.has(id);
  const pointers = new Map(
    written.flatMap(({ field, pointer }) => (isCollected(field) ? [[field.id, pointer] as const] : [])),
  );
  return { values: Object.fromEntries(values), openLists, links, pointers };
}

function collect(field: Field, input: FieldInput, context: ParseContext, collected: Collected): void {
  const { type } = field;
  if (type === 'tbl') collectOpenList(field, parseOpenList(field, input, context), collected);
  else if (type === 'art_link') collectLinks(field, input, parseLinks(field, input, context), collected);
  else {
    const value = PARSERS[type](field, input, context);
    if (value === NOTHING) return;
    const fault = valueFault(value, currentValue(field, context));
    if (fault === undefined) collected.values.set(String(field.id), value);
    else context.refuse(isList(value) ? '' : '/value', fault);
  }
}

function collectOpenList({ id }: Field, wish: OpenListWish | Nothing, { values, openLists }: Collected): void {
  if (wish === NOTHING) return;
  if (wish.every(hasNumber)) values.set(String(id), wish);
  else openLists.set(id, wish);
}

function collectLinks({ id }: Field, input: FieldInput, wish: LinkWish | Nothing, { values, links }: Collected): void {
  if (wish === NOTHING) return;
  links.set(id, { ...wish, input });
  if (wish.forward !== undefined) values.set(String(id), wish.forward);
}
