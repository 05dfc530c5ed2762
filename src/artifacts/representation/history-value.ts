/** A value as the history tells it: readable, and with nothing left out because it is no more. */
import { groupRestId, userGroup } from '../../projects/representation.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import { type FieldValue, type Link } from '../../trackers/field-types/field-value.js';
import {
  dateOf,
  isEmptyValue,
  linksOf,
  manualOf,
  numberOf,
  numbersOf,
  openListOf,
  stringOf,
  textOf,
} from '../../trackers/field-types/canonical.js';
import { writtenDate } from '../fields/dates.js';
import { bindingOf, type ListContext } from '../fields/list-values.js';
import { NO_TEXT } from '../fields/text.js';

interface Named {
  readonly id: number | string;
  /** Null for what is no longer there. */
  readonly label: string | null;
}

type HistoryValue =
  | string
  | number
  | null
  | { readonly content: string; readonly format: string }
  | { readonly is_autocomputed: boolean; readonly manual_value: number | null }
  | readonly Named[]
  | readonly Link[]
  | readonly { readonly id: number }[];

export interface HistoryContext extends ListContext {
  /** Whether the history may name an artifact at the other end of a link to the reader. */
  readonly isKnownEnd: (id: number) => boolean;
}

/** Null for no value. A link to a hidden artifact is no value. */
export function historyValue(field: Field, value: FieldValue | undefined, context: HistoryContext): HistoryValue {
  const known = knownPart(value, context.isKnownEnd);
  return known === undefined || isEmptyValue(known) ? null : REPRESENTED[field.type](known, field, context);
}

/** A value without links to hidden artifacts. */
export function knownPart(
  value: FieldValue | undefined,
  isKnownEnd: HistoryContext['isKnownEnd'],
): FieldValue | undefined {
  const links = linksOf(value);
  return links.length === 0 ? value : links.filter(({ id }) => isKnownEnd(id));
}

type Represent = (value: FieldValue, field: Field, context: HistoryContext) => HistoryValue;

const nothing: Represent = () => null;
const number: Represent = (value) => numberOf(value);
const selection: Represent = (value, field, context) => numbersOf(value).map((id) => chosen(field, id, context));

const REPRESENTED: Readonly<Record<FieldType, Represent>> = {
  string: (value) => stringOf(value),
  text: (value) => {
    const { text, format } = textOf(value) ?? NO_TEXT;
    return { content: text, format };
  },
  int: number,
  float: number,
  date: (value, { time = false }) => writtenDate(dateOf(value) ?? '', time),
  sb: selection,
  rb: selection,
  msb: selection,
  cb: selection,
  tbl: (value, field, context) =>
    openListOf(value).map((item) =>
      'open' in item
        ? { id: `o${item.open}`, label: item.label }
        : { id: `b${item.bound}`, label: chosen(field, item.bound, context).label },
    ),
  art_link: (value) => linksOf(value),
  file: (value) => numbersOf(value).map((id) => ({ id })),
  perm: (value, _, context) => numbersOf(value).map((id) => group(id, context)),
  computed: (value) => {
    const manual = manualOf(value);
    return { is_autocomputed: manual === null, manual_value: manual };
  },
  fieldset: nothing,
  column: nothing,
  aid: nothing,
  atid: nothing,
  subon: nothing,
  subby: nothing,
  lud: nothing,
  luby: nothing,
};

function chosen(field: Field, id: number, context: ListContext): Named {
  const found = bindingOf(field).chosen(field, id, context);
  return { id: found?.restId ?? id, label: found?.label ?? null };
}

function group(id: number, { definitions, projectId }: ListContext): Named {
  const project = definitions.project(projectId);
  return { id: groupRestId(projectId, id), label: (project && userGroup(project, id)?.label) ?? null };
}
