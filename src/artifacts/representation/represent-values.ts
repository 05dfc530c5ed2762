/** The values of an artifact as a reader may know them: `values` and `values_by_field`. */
import { Late } from '../../core/concurrency/json-in-turns.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { type Field, type FieldType } from '../../trackers/field-types/definition.js';
import { trackerReference } from '../../trackers/representation.js';
import { type ArtifactView } from '../artifact-view.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { type Related } from './load-related.js';
import { type HtmlOf } from '../rendering/text-rendering.js';
import { linksOf, numberOf, stringOf, textOf } from '../../trackers/field-types/canonical.js';
import { computedParts } from '../fields/computed.js';
import { readDate } from '../fields/dates.js';
import { fileParts } from '../fields/files.js';
import { openListParts } from '../fields/open-list.js';
import { permissionParts } from '../fields/permissions.js';
import { numberIn, stampIn } from '../fields/read-only.js';
import {
  isNumberType,
  isReadOnly,
  type NumberType,
  type StampType,
} from '../../trackers/field-types/read-only-types.js';
import { selectionParts } from '../fields/selection.js';
import { NO_TEXT, renderText } from '../fields/text.js';
import { heldIn } from '../fields/values.js';

export interface ReadContext {
  readonly definitions: Definitions;
  readonly viewer: Viewer;
  readonly related: Related;
  /** Of every text of the artifact. */
  readonly htmlOf: HtmlOf;
  /** Each value of a large artifact is made only once its JSON is. */
  readonly isLarge?: boolean;
}

/** In display order, without the fields that hold nothing yet and those that the viewer may not read. */
export function representValues(
  tracker: CompiledTracker,
  artifact: ArtifactView,
  context: ReadContext,
): readonly object[] {
  const reading = { tracker, artifact, context };
  const represented: object[] = [];
  for (const field of context.viewer.readable(tracker).fields) {
    const value = representField(field, reading);
    if (value !== undefined) represented.push(value);
  }
  return represented;
}

const BY_FIELD_TYPES: ReadonlySet<FieldType> = new Set(['string', 'text', 'int', 'float', 'aid', 'atid', 'computed']);

/** By field name; null where a field holds nothing yet. Without prototype: a name may be any word. */
export function representByField(
  tracker: CompiledTracker,
  artifact: ArtifactView,
  context: ReadContext,
): Readonly<Record<string, object | null>> {
  const represented: Record<string, object | null> = { __proto__: null };
  for (const field of context.viewer.readable(tracker).fields) {
    if (!BY_FIELD_TYPES.has(field.type)) continue;
    represented[field.name] = representField(field, { tracker, artifact, context }) ?? null;
  }
  return represented;
}

interface Reading {
  readonly tracker: CompiledTracker;
  readonly artifact: ArtifactView;
  readonly context: ReadContext;
}

/** Undefined where a field holds nothing yet. */
function representField(field: Field, reading: Reading): object | undefined {
  if (reading.context.isLarge !== true) return representAtOnce(field, reading);
  return isShown(field, reading) ? new Late(() => representAtOnce(field, reading)) : undefined;
}

const isShown = (field: Field, { artifact }: Reading): boolean =>
  field.type === 'art_link' || isReadOnly(field.type) || heldIn(artifact.values, field) !== undefined;

function representAtOnce(field: Field, reading: Reading): object | undefined {
  const parts = partsOf(field, reading);
  return parts && { field_id: field.id, type: field.type, label: field.label, ...parts };
}

function partsOf(field: Field, reading: Reading): object | undefined {
  const { type } = field;
  const { artifact, context } = reading;
  if (type === 'art_link') return linkParts(field, reading);
  if (isNumberType(type)) return { value: numberIn(type, artifact) };
  if (isReadOnly(type)) return { value: stampIn(type, artifact, context) };
  const value = heldIn(artifact.values, field);
  return value === undefined ? undefined : PARTS[type](value, field, reading);
}

type Parts = (value: FieldValue, field: Field, reading: Reading) => object;
type StoredType = Exclude<FieldType, 'art_link' | NumberType | StampType>;

const number: Parts = (value) => ({ value: numberOf(value) });
const selection: Parts = (value, field, reading) => selectionParts(field, value, listContext(reading));
const listContext = ({ tracker, context }: Reading) => ({
  projectId: tracker.view.projectId,
  definitions: context.definitions,
  viewer: context.viewer,
});
const container: Parts = () => ({});

const PARTS: Readonly<Record<StoredType, Parts>> = {
  fieldset: container,
  column: container,
  string: (value) => ({ value: stringOf(value) }),
  text: (value, _, { context }) => renderText(textOf(value) ?? NO_TEXT, context.htmlOf),
  int: number,
  float: number,
  date: (value, { time = false }) => ({ value: readDate(value, time), is_time_displayed: time }),
  sb: selection,
  rb: selection,
  msb: selection,
  cb: selection,
  tbl: (value, field, reading) => openListParts(field, value, listContext(reading)),
  file: (value, _, { context }) => fileParts(value, context.related.describeFile),
  perm: (value, _, { tracker, context }) => permissionParts(value, context.definitions.project(tracker.view.projectId)),
  computed: (value, { name }, { artifact, context }) =>
    computedParts(value, () => context.related.sumOf(artifact.id, name)),
};

function linkParts(field: Field, { artifact, context }: Reading): object {
  const { related } = context;
  return {
    links: linksOf(artifact.values[String(field.id)]).flatMap(
      ({ id, type }) => linkedArtifact(related.linked(id), type, context) ?? [],
    ),
    reverse_links: related
      .reverseLinks(artifact.id)
      .flatMap(({ source, type }) => linkedArtifact(source, type, context) ?? []),
  };
}

function linkedArtifact(
  artifact: ArtifactView | undefined,
  type: string,
  { definitions, viewer }: Pick<ReadContext, 'definitions' | 'viewer'>,
): object | undefined {
  // Judged once more: the label of its tracker may be younger than the link.
  if (artifact === undefined || !viewer.canSeeArtifact(artifact)) return undefined;
  const tracker = definitions.tracker(artifact.trackerId);
  if (tracker === undefined) return undefined;
  return { id: artifact.id, uri: `artifacts/${artifact.id}`, tracker: trackerReference(tracker, definitions), type };
}
