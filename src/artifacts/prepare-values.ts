/** From what a request writes to what a command carries: permissions, other ends of links, numbers of new labels. */
import { MAX_LABELS, MAX_NEW_LABELS } from '../core/bounds.js';
import { type WriteAction } from '../trackers/tracker-rights.js';
import { isContainer, type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/field-types/definition.js';
import { type ReverseLinks } from './artifact-events.js';
import { newFiles, type NewFile } from './attachments/attachments.js';
import { knownPart } from './representation/history-value.js';
import { type FieldValue, type FieldValues } from '../trackers/field-types/field-value.js';
import { idFrom, isObject } from './fields/field-input.js';
import { newLabels } from './fields/open-list.js';
import { sourceIn } from './fields/text.js';
import { defaultsFor } from '../trackers/field-types/defaults.js';
import { heldIn, sameValue } from './fields/values.js';
import { parseValues, parseValuesByField, withNumbers, type ParsedValues } from './fields/parse-values.js';
import { refuseViolations } from './fields/violations.js';
import { refuseUnderWay } from './links/orders-under-way.js';
import { asksSources, linkRequests, requestedLinks } from './links/requested-links.js';
import { visibleEnds, type VisibleEnds } from './links/validate-links.js';
import { plannedLabels, type AddOpenValues, type PlannedLabels } from './open-values.js';
import { type ArtifactPorts, type ArtifactWrite } from './ports.js';
import { type HtmlOf } from './rendering/text-rendering.js';

/** One of the two forms of the API. `pointer` names the member of the body that replaces all values. */
export type WrittenValues =
  | { readonly values: readonly unknown[]; readonly pointer?: string }
  | { readonly valuesByField: Readonly<Record<string, unknown>> };

export interface WriteRequest extends ArtifactWrite {
  readonly written: WrittenValues;
  /** The tracker of now; throws if the writer may not write there. */
  readonly permitted: () => CompiledTracker;
}

/** All but the numbers of labels that are new. */
export interface PreparedValues {
  readonly parsed: ParsedValues;
  /** What the links of the fields are, by field. */
  readonly forward: FieldValues;
  /** With the fields whose rules bind the writer: those that they may read or have written. */
  readonly tracker: CompiledTracker;
  /** Ids of the written fields that the writer may not read. */
  readonly blind: readonly number[];
  readonly reverseLinks?: ReverseLinks;
  /** Throws what a new request is answered if the writer may not write all of it, by the rights of now. */
  readonly refuseLost: () => void;
  /** To be claimed before the artifact's event. */
  readonly newFiles: readonly NewFile[];
}

/** Throws if a value cannot be written, independently of the artifact's other values. */
export async function prepareValues(request: WriteRequest, ports: ArtifactPorts): Promise<PreparedValues> {
  try {
    return await prepared(request, ports);
  } catch (error) {
    // Who has lost the tracker meanwhile is told nothing else.
    request.permitted();
    throw error;
  }
}

async function prepared(request: WriteRequest, ports: ArtifactPorts): Promise<PreparedValues> {
  const known = knownRequest(request);
  const htmlOf = await renderedSources(known, ports);
  const parsed = parse(known, ports, htmlOf);
  const requests = linkRequests(parsed, request, known.tracker);
  if (request.artifact !== undefined && requests.some(asksSources)) await refuseUnderWay(request.artifact.id, ports);
  const ends = await visibleEnds(requests, ports, request.caller.viewer);
  refuseForbidden(parsed, ends, known);
  const files = await newFiles(parsed, known, ports);
  const { forward, reverse, refuseSources } = await requestedLinks(requests, ends, request, ports);
  const hasReverse = reverse.add.length + reverse.remove.length > 0;
  const binding = bindingOf(parsed, request);
  refuseLabels(parsed, binding.tracker, ports);
  const refuseLost = (): void => {
    const now = knownRequest({ ...request, tracker: request.permitted() });
    // It is the same while the tracker is, and what the writer may name there. Who may write its fields may have changed.
    refuseForbidden(now.tracker === known.tracker ? parsed : parse(now, ports, htmlOf), ends, now);
    refuseSources();
  };
  return {
    parsed,
    forward,
    ...binding,
    refuseLost,
    ...(hasReverse && { reverseLinks: reverse }),
    newFiles: files,
  };
}

/** The values of all fields, and the labels with which they agree once these are claimed. */
export async function numberedValues(
  { parsed, forward, tracker }: Pick<PreparedValues, 'parsed' | 'forward' | 'tracker'>,
  { log }: Pick<ArtifactPorts, 'log'>,
): Promise<{ readonly values: FieldValues; readonly labels: readonly PlannedLabels[] }> {
  const labels = await Promise.all(wantedLabels(parsed, tracker).map((wanted) => plannedLabels(log, wanted)));
  const numbers = new Map(labels.map((planned) => [planned.wanted.fieldId, planned.numbers]));
  const values = withNumbers(parsed, (fieldId, label) => numbers.get(fieldId)?.get(label) ?? 0);
  return { values: { ...values, ...forward }, labels };
}

const actionOf = ({ artifact }: Pick<WriteRequest, 'artifact'>): WriteAction =>
  artifact === undefined ? 'submit' : 'update';

/** The request without the fields that its author may neither read nor write, and without unreadable values. */
function knownRequest(request: WriteRequest): WriteRequest {
  const { tracker, artifact, caller } = request;
  const nameable = caller.viewer.nameable(actionOf(request), tracker);
  if (artifact === undefined) return { ...request, tracker: nameable };
  const readable = caller.viewer.readable(tracker);
  const values = Object.entries(artifact.values).filter(([id]) => readable.fieldById(Number(id)) !== undefined);
  return { ...request, tracker: nameable, artifact: { ...artifact, values: Object.fromEntries(values) } };
}

function bindingOf(parsed: ParsedValues, request: WriteRequest): Pick<PreparedValues, 'tracker' | 'blind'> {
  const { tracker, caller } = request;
  const readable = caller.viewer.readable(tracker);
  const isReadable = (id: number): boolean => readable.fieldById(id) !== undefined;
  const blind = [...parsed.pointers.keys()].filter((id) => !isReadable(id));
  const nameable = caller.viewer.nameable(actionOf(request), tracker);
  const isBinding = (field: Field): boolean => isContainer(field) || isReadable(field.id) || blind.includes(field.id);
  return { tracker: nameable.restricted((field) => (isBinding(field) ? 'whole' : 'nothing')), blind };
}

/** Of texts that may be sent back as they were read: of the last element for each text field. */
function renderedSources({ tracker, written, caller }: WriteRequest, { texts }: ArtifactPorts): Promise<HtmlOf> {
  const fieldIn = (input: unknown): Field | undefined =>
    isObject(input) ? tracker.fieldById(idFrom(input['field_id']) ?? 0) : undefined;
  const inputs =
    'values' in written
      ? written.values.map((input) => [fieldIn(input), input] as const)
      : Object.entries(written.valuesByField).map(([name, input]) => [tracker.fieldNamed(name), input] as const);
  const lastOfEach = new Map(inputs.filter(([field]) => field?.type === 'text'));
  const sources = [...lastOfEach.values()].flatMap((input) => (isObject(input) ? (sourceIn(input) ?? []) : []));
  return texts.htmlOf(sources, { reader: caller.viewer.user?.id ?? null });
}

function parse(
  { tracker, written, artifact, caller }: WriteRequest,
  ports: ArtifactPorts,
  htmlOf: HtmlOf,
): ParsedValues {
  const { viewer } = caller;
  const definitions = { ...ports.definitions, openValues: (fieldId: number) => viewer.openValues(tracker, fieldId) };
  const context = { definitions, htmlOf, ...(artifact && { artifact }) };
  return 'values' in written
    ? parseValues(tracker, written.values, context, written.pointer)
    : parseValuesByField(tracker, written.valuesByField, context);
}

/** A field that is sent back as it was read, by a writer who may only read it, is not changed. */
function refuseForbidden(parsed: ParsedValues, ends: VisibleEnds, request: WriteRequest): void {
  const { tracker, artifact, caller } = request;
  const action = actionOf(request);
  const initial = defaultsFor(tracker);
  const held = (field: Field): FieldValue | undefined =>
    artifact ? knownPart(heldIn(artifact.values, field), (end) => ends.has(end)) : initial[String(field.id)];
  const changed = tracker.fields.filter((field) => {
    const value = parsed.values[String(field.id)];
    return value !== undefined && !sameValue(held(field), value);
  });
  const reversed = [...parsed.links].filter(([, { parent, reverse }]) => parent !== undefined || reverse !== undefined);
  const written = new Set([...changed.map(({ id }) => id), ...parsed.openLists.keys(), ...reversed.map(([id]) => id)]);
  const forbidden = tracker.fields.filter(
    (field) => written.has(field.id) && !caller.viewer.mayWrite(action, tracker, field),
  );
  refuseViolations(
    forbidden.map(({ id, label }) => ({
      pointer: parsed.pointers.get(id) ?? '/values',
      message: `You may not ${action} the field ${label}`,
    })),
  );
}

function labelsFault(added: number, present: number): string | undefined {
  if (added > MAX_NEW_LABELS) return `takes at most ${MAX_NEW_LABELS} new labels in one change`;
  return present + added > MAX_LABELS ? `holds at most ${MAX_LABELS} labels` : undefined;
}

function wantedLabels({ openLists }: ParsedValues, tracker: CompiledTracker): readonly AddOpenValues[] {
  return [...openLists].map(([fieldId, wish]) => ({
    fieldId,
    trackerId: tracker.id,
    labels: newLabels(wish),
    defined: tracker.fieldById(fieldId)?.values?.length ?? 0,
  }));
}

/** By the lists as the definitions know them: the streams have the last word. */
function refuseLabels(parsed: ParsedValues, tracker: CompiledTracker, { definitions }: ArtifactPorts): void {
  refuseViolations(
    wantedLabels(parsed, tracker).flatMap(({ fieldId, labels, defined }) => {
      const message = labelsFault(labels.length, defined + definitions.openValues(fieldId).length);
      const { label = '' } = tracker.fieldById(fieldId) ?? {};
      return message === undefined
        ? []
        : [{ pointer: parsed.pointers.get(fieldId) ?? '/values', message: `${label}: ${message}` }];
    }),
  );
}
