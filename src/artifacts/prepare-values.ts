/** From what a request writes to what a command carries: permissions, other ends of links, numbers of new labels. */
import { MAX_LABELS, MAX_NEW_LABELS } from '../core/bounds.js';
import { type Position } from '../core/event-log.js';
import { type CommandEnvelope } from '../core/handle.js';
import { Problem, type Violation } from '../core/problem.js';
import { type WriteAction } from '../trackers/tracker-rights.js';
import { isContainer, type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/field-types/definition.js';
import { type ReverseLinks } from './artifact-events.js';
import { newFiles, type NewFile } from './attachments/attachments.js';
import { knownPart } from './representation/history-value.js';
import { type FieldValue, type FieldValues } from '../trackers/field-types/field-value.js';
import { isObject } from './fields/field-input.js';
import { newLabels, type OpenListWish } from './fields/open-list.js';
import { sourceIn } from './fields/text.js';
import { sameValue } from './fields/values.js';
import { parseValues, parseValuesByField, withNumbers, type ParsedValues } from './fields/parse-values.js';
import { linkRequests, requestedLinks } from './links/requested-links.js';
import { visibleEnds, type VisibleEnds } from './links/validate-links.js';
import { numberedLabels } from './open-values.js';
import { type ArtifactPorts, type ArtifactWrite } from './ports.js';
import { type HtmlOf } from './rendering/text-rendering.js';

/** One of the two forms of the contract. `pointer`: of the member of the body that stands for all of the values. */
export type WrittenValues =
  | { readonly values: readonly unknown[]; readonly pointer?: string }
  | { readonly valuesByField: Readonly<Record<string, unknown>> };

export interface WriteRequest extends ArtifactWrite, Pick<CommandEnvelope<unknown, unknown>, 'commandId' | 'metadata'> {
  readonly written: WrittenValues;
  readonly judge: Judge;
}

/** Throws what the rules of the artifact refuse. Asked before anything is appended on its behalf. */
export type Judge = (judged: Judged) => void;

/** New labels have no number of their own yet. `addsLabels`: they are appended before the artifact's event. */
export type Judged = Omit<ReadyValues, 'labelled'> & { readonly addsLabels: boolean };

export interface ReadyValues {
  readonly values: FieldValues;
  /** With the fields whose rules bind the writer: those that they may read or have written. */
  readonly tracker: CompiledTracker;
  /** Ids of the written fields that the writer may not read. */
  readonly blind: readonly number[];
  readonly reverseLinks?: ReverseLinks;
  /** To be claimed before the artifact's event. */
  readonly newFiles: readonly NewFile[];
  /** Of the last label that was added to an open list; null when none was. */
  readonly labelled: Position | null;
}

/** Throws when anything of it cannot be written. New labels of open lists are in the log when it resolves. */
export async function readyValues(request: WriteRequest, ports: ArtifactPorts): Promise<ReadyValues> {
  const known = knownRequest(request);
  const parsed = parse(known, ports, await renderedSources(known, ports));
  const requests = linkRequests(parsed, request);
  const ends = await visibleEnds(requests, ports, request.caller.viewer);
  refuseForbidden(parsed, ends, known);
  const files = await newFiles(parsed, known, ports);
  const { forward, reverse } = await requestedLinks(requests, ends, request, ports);
  const hasReverse = reverse.add.length + reverse.remove.length > 0;
  const ready = (numbers: ReadonlyMap<string, number>): Omit<ReadyValues, 'labelled'> => {
    const values = withNumbers(parsed, (fieldId, label) => numbers.get(`${fieldId} ${label}`) ?? 0);
    return {
      values: { ...values, ...forward },
      ...binding(parsed, request),
      ...(hasReverse && { reverseLinks: reverse }),
      newFiles: files,
    };
  };
  request.judge({ ...ready(new Map()), addsLabels: [...parsed.openLists.values()].some(hasNewLabels) });
  const { numbers, labelled } = await numberLabels(parsed, known, ports);
  return { ...ready(numbers), labelled };
}

const hasNewLabels = (wish: OpenListWish): boolean => newLabels(wish).length > 0;

const actionOf = ({ artifact }: Pick<WriteRequest, 'artifact'>): WriteAction =>
  artifact === undefined ? 'submit' : 'update';

/** The request as its author knows it: fields that they may neither read nor write are gone, and so are unread values. */
function knownRequest(request: WriteRequest): WriteRequest {
  const { tracker, artifact, caller } = request;
  const nameable = caller.viewer.nameable(actionOf(request), tracker);
  if (artifact === undefined) return { ...request, tracker: nameable };
  const readable = caller.viewer.readable(tracker);
  const values = Object.entries(artifact.values).filter(([id]) => readable.fieldById(Number(id)) !== undefined);
  return { ...request, tracker: nameable, artifact: { ...artifact, values: Object.fromEntries(values) } };
}

function binding(parsed: ParsedValues, request: WriteRequest): Pick<ReadyValues, 'tracker' | 'blind'> {
  const { tracker, caller } = request;
  const readable = caller.viewer.readable(tracker);
  const isReadable = (id: number): boolean => readable.fieldById(id) !== undefined;
  const blind = [...parsed.pointers.keys()].filter((id) => !isReadable(id));
  const nameable = caller.viewer.nameable(actionOf(request), tracker);
  const isBinding = (field: Field): boolean => isContainer(field) || isReadable(field.id) || blind.includes(field.id);
  return { tracker: nameable.restricted((field) => (isBinding(field) ? 'whole' : 'nothing')), blind };
}

/** Of texts that may be sent back as they were read. */
function renderedSources({ written, caller }: WriteRequest, { texts }: ArtifactPorts): Promise<HtmlOf> {
  const inputs: readonly unknown[] = 'values' in written ? written.values : Object.values(written.valuesByField);
  const sources = inputs.flatMap((input) => (isObject(input) ? (sourceIn(input) ?? []) : []));
  return texts.htmlOf(sources, { reader: caller.viewer.user?.id ?? null });
}

function parse(
  { tracker, written, artifact, caller }: WriteRequest,
  ports: ArtifactPorts,
  htmlOf: HtmlOf,
): ParsedValues {
  const { viewer } = caller;
  const directory = { ...ports.directory, openValues: (fieldId: number) => viewer.openValues(tracker, fieldId) };
  const context = { directory, htmlOf, ...(artifact && { artifact }) };
  return 'values' in written
    ? parseValues(tracker, written.values, context, written.pointer)
    : parseValuesByField(tracker, written.valuesByField, context);
}

/** A field that is sent back as it was read, by a writer who may only read it, is not changed. */
function refuseForbidden(parsed: ParsedValues, ends: VisibleEnds, request: WriteRequest): void {
  const { tracker, artifact, caller } = request;
  const action = actionOf(request);
  const held = (id: string): FieldValue | undefined => knownPart(artifact?.values[id], (end) => ends.has(end));
  const changed = Object.entries(parsed.values).filter(([id, value]) => !sameValue(held(id), value));
  const reversed = [...parsed.links].filter(([, { parent, reverse }]) => parent !== undefined || reverse !== undefined);
  const written = new Set([
    ...changed.map(([id]) => Number(id)),
    ...parsed.openLists.keys(),
    ...reversed.map(([id]) => id),
  ]);
  const forbidden = tracker.fields.filter(
    (field) => written.has(field.id) && !caller.viewer.mayWrite(action, tracker, field),
  );
  refuse(
    forbidden.map(({ id, label }) => ({
      pointer: parsed.pointers.get(id) ?? '/values',
      message: `You may not ${action} the field ${label}`,
    })),
  );
}

function refuse(details: readonly Violation[]): void {
  if (details.length === 0) return;
  throw new Problem('invalid', details.map(({ message }) => message).join('\n'), { details });
}

function labelsFault(added: number, present: number): string | undefined {
  if (added > MAX_NEW_LABELS) return `takes ${MAX_NEW_LABELS} new labels at once at most`;
  return present + added > MAX_LABELS ? `takes ${MAX_LABELS} labels at most` : undefined;
}

async function numberLabels(
  { openLists, pointers }: ParsedValues,
  { tracker, commandId, metadata }: WriteRequest,
  { log, directory }: ArtifactPorts,
): Promise<{ readonly numbers: ReadonlyMap<string, number>; readonly labelled: Position | null }> {
  const wanted = [...openLists].map(([fieldId, wish]) => ({
    fieldId,
    trackerId: tracker.id,
    labels: newLabels(wish),
    defined: tracker.fieldById(fieldId)?.values?.length ?? 0,
  }));
  // All lists before the first label of any is added.
  refuse(
    wanted.flatMap(({ fieldId, labels, defined }) => {
      const message = labelsFault(labels.length, defined + directory.openValues(fieldId).length);
      const { label = '' } = tracker.fieldById(fieldId) ?? {};
      return message === undefined
        ? []
        : [{ pointer: pointers.get(fieldId) ?? '/values', message: `${label}: ${message}` }];
    }),
  );

  const numbers = new Map<string, number>();
  let labelled: Position | null = null;
  for (const list of wanted) {
    const { numbers: known, position } = await numberedLabels(log, list, { commandId, metadata });
    for (const label of list.labels) numbers.set(`${list.fieldId} ${label}`, known.get(label) ?? 0);
    labelled = position ?? labelled;
  }
  return { numbers, labelled };
}
