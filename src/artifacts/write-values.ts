/** From what a request writes to what a command carries: permissions, other ends of links, numbers of new labels. */
import { type Position } from '../core/event-log.js';
import { type CommandEnvelope } from '../core/handle.js';
import { Problem, type Violation } from '../core/problem.js';
import { type FieldAction } from '../directory/viewer.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Artifact } from './artifact.js';
import { type ReverseLinks } from './artifact-events.js';
import { newFiles, type NewFile } from './attachments.js';
import { type FieldValues } from './field-value.js';
import { linksOf } from './fields/canonical.js';
import { newLabels } from './fields/open-list.js';
import { sameValue } from './fields/values.js';
import { parseValues, parseValuesByField, withNumbers, type ParsedValues } from './fields/parse-values.js';
import { checkedLinks } from './links.js';
import { numberedLabels } from './open-values.js';
import { type ArtifactPorts, type Caller } from './ports.js';

/** One of the two forms of the contract. */
export type WrittenValues =
  { readonly values: readonly unknown[] } | { readonly valuesByField: Readonly<Record<string, unknown>> };

export interface WriteRequest extends Pick<CommandEnvelope<unknown, unknown>, 'commandId' | 'metadata'> {
  readonly tracker: CompiledTracker;
  readonly written: WrittenValues;
  readonly caller: Caller;
  /** As it stands before; left out for a new one. */
  readonly artifact?: Artifact;
}

export interface ReadyValues {
  readonly values: FieldValues;
  readonly reverseLinks?: ReverseLinks;
  /** To be claimed before the artifact's event. */
  readonly newFiles: readonly NewFile[];
  /** Of the last label that was added to an open list; null when none was. */
  readonly labelled: Position | null;
}

/** Throws when anything of it cannot be written. New labels of open lists are in the log when it resolves. */
export async function readyValues(request: WriteRequest, ports: ArtifactPorts): Promise<ReadyValues> {
  const parsed = parse(request, ports);
  refuseForbidden(parsed, request);
  const files = await newFiles(parsed, request, ports);
  const { forward, reverse } = await links(parsed, request, ports);
  const { numbers, labelled } = await numberLabels(parsed, request, ports);
  const values = withNumbers(parsed, (fieldId, label) => numbers.get(`${fieldId} ${label}`) ?? 0);
  const hasReverse = reverse.add.length + reverse.remove.length > 0;
  return { values: { ...values, ...forward }, ...(hasReverse && { reverseLinks: reverse }), newFiles: files, labelled };
}

function parse({ tracker, written, artifact }: WriteRequest, { directory }: ArtifactPorts): ParsedValues {
  const context = { directory, ...(artifact && { artifact }) };
  return 'values' in written
    ? parseValues(tracker, written.values, context)
    : parseValuesByField(tracker, written.valuesByField, context);
}

/** Whoever sends back what they have read, in a field that they may only read, changes nothing of it. */
function refuseForbidden(parsed: ParsedValues, { tracker, artifact, caller: { viewer } }: WriteRequest): void {
  const action: FieldAction = artifact === undefined ? 'submit' : 'update';
  const changed = Object.entries(parsed.values).filter(([id, value]) => !sameValue(artifact?.values[id], value));
  const reversed = [...parsed.links].filter(([, { parent, reverse }]) => parent !== undefined || reverse !== undefined);
  const written = new Set([
    ...changed.map(([id]) => Number(id)),
    ...parsed.openLists.keys(),
    ...reversed.map(([id]) => id),
  ]);
  const forbidden = tracker.fields.filter((field) => written.has(field.id) && !viewer.may(action, tracker, field));
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

async function links(
  parsed: ParsedValues,
  { artifact, caller }: WriteRequest,
  ports: ArtifactPorts,
): Promise<{ readonly forward: FieldValues; readonly reverse: ReverseLinks }> {
  const checked = await Promise.all(
    [...parsed.links].map(async ([fieldId, wish]) => {
      const held = linksOf(artifact?.values[String(fieldId)]);
      const pointer = parsed.pointers.get(fieldId) ?? '/values';
      const request = { wish, held, pointer, label: 'Links', ...(artifact && { target: artifact }) };
      return [String(fieldId), await checkedLinks(request, ports, caller.viewer)] as const;
    }),
  );
  const forward = checked.flatMap(([id, ends]) => (ends.forward === undefined ? [] : [[id, ends.forward] as const]));
  return {
    forward: Object.fromEntries(forward),
    reverse: {
      add: checked.flatMap(([, { reverse }]) => reverse.add),
      remove: checked.flatMap(([, { reverse }]) => reverse.remove),
    },
  };
}

/** An artifact needs few, and each one stays in its list for ever. */
const MAX_NEW_LABELS = 100;

async function numberLabels(
  { openLists, pointers }: ParsedValues,
  { tracker, commandId, metadata }: WriteRequest,
  { log }: ArtifactPorts,
): Promise<{ readonly numbers: ReadonlyMap<string, number>; readonly labelled: Position | null }> {
  const wanted = [...openLists].map(([fieldId, wish]) => ({ fieldId, trackerId: tracker.id, labels: newLabels(wish) }));
  refuse(
    wanted
      .filter(({ labels }) => labels.length > MAX_NEW_LABELS)
      .map(({ fieldId }) => ({
        pointer: pointers.get(fieldId) ?? '/values',
        message: `${tracker.fieldById(fieldId)?.label ?? ''}: takes ${MAX_NEW_LABELS} new labels at once at most`,
      })),
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
