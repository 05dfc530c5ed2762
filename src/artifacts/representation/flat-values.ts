/** What a cell of a row shows of a field. */
import { numberOf, openListOf, stringOf, textOf } from '../../trackers/field-types/canonical.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { isNumberType, isReadOnly, type StampType } from '../../trackers/field-types/read-only-types.js';
import { displayName } from '../../users/representation.js';
import { type ArtifactView } from '../artifact-view.js';
import { computedParts } from '../fields/computed.js';
import { isoDate, readDate } from '../fields/dates.js';
import { type ListContext } from '../fields/list-values.js';
import { shownItems } from '../fields/open-list.js';
import { numberIn } from '../fields/read-only.js';
import { selectionLabels } from '../fields/selection.js';
import { NO_TEXT } from '../fields/text.js';
import { heldIn } from '../fields/values.js';
import { type PlainOf } from './rendered-texts.js';

export type Flat = string | number | null | readonly string[];

export interface FlatContext extends ListContext {
  readonly plainOf: PlainOf;
  /** Of the field of this name. */
  readonly sum: (name: string) => number | null;
}

/** Undefined where the row has no such field. */
export function valueMaker(field: Field, artifact: ArtifactView, context: FlatContext): (() => Flat) | undefined {
  const { type } = field;
  if (isNumberType(type)) return () => numberIn(type, artifact);
  if (isReadOnly(type)) return () => stamp(type, artifact, context);
  const make = MADE[type];
  const value = heldIn(artifact.values, field);
  return make === undefined || value === undefined ? undefined : () => make(value, field, context);
}

type Labels = (value: FieldValue, field: Field, context: ListContext) => readonly string[];

const selection: Labels = (value, field, context) => selectionLabels(field, value, context);

const LABELS: Readonly<Partial<Record<FieldType, Labels>>> = {
  sb: selection,
  rb: selection,
  msb: selection,
  cb: selection,
  tbl: (value, field, context) => shownItems(field, openListOf(value), context).map(({ displayed }) => displayed),
};

/** None of a field that is no list. */
export const labelsIn = (field: Field, artifact: ArtifactView, context: ListContext): readonly string[] => {
  const value = artifact.values[String(field.id)];
  return value === undefined ? [] : (LABELS[field.type]?.(value, field, context) ?? []);
};

const MADE: Readonly<Partial<Record<FieldType, (value: FieldValue, field: Field, context: FlatContext) => Flat>>> = {
  ...LABELS,
  string: stringOf,
  text: (value, _, { plainOf }) => plainOf(textOf(value) ?? NO_TEXT),
  int: numberOf,
  float: numberOf,
  date: (value, { time = false }) => readDate(value, time),
  computed: (held, { name }, { sum }) => {
    const { is_autocomputed: isSum, value, manual_value: manual } = computedParts(held, () => sum(name));
    return isSum ? value : manual;
  },
};

function stamp(type: StampType, artifact: ArtifactView, { definitions }: ListContext): string | null {
  if (type === 'subon') return isoDate(artifact.submittedOn);
  if (type === 'lud') return isoDate(artifact.lastUpdateOn);
  const id = type === 'subby' ? artifact.submittedBy : artifact.lastUpdateBy;
  const user = id === null ? undefined : definitions.user(id);
  return user === undefined ? null : displayName(user);
}
