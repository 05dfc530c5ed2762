/** The links that one request writes, of all fields together. */
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { type FieldValues } from '../../trackers/field-types/field-value.js';
import { type ReverseLinks } from '../artifact-events.js';
import { type ParsedValues } from '../fields/parse-values.js';
import { isObject } from '../fields/field-input.js';
import { refuseViolations } from '../fields/violations.js';
import { type ArtifactPorts, type ArtifactWrite } from '../ports.js';
import { type LinkWish } from '../fields/links.js';
import { type LinkRequest } from './link-request.js';
import { validateLinks, type VisibleEnds } from './validate-links.js';

interface FieldLinks extends LinkRequest {
  readonly fieldId: number;
}

/** `nameable` is the tracker with the labels that the caller may be told. */
export function linkRequests(
  { links: wishes, pointers }: ParsedValues,
  { artifact, tracker, caller }: ArtifactWrite,
  nameable: CompiledTracker,
): readonly FieldLinks[] {
  const readable = caller.viewer.readable(tracker);
  const named = new Set([...wishes.values()].flatMap(namedSources));
  return [...wishes].map(([fieldId, { input, ...wish }]) => ({
    fieldId,
    wish,
    named,
    input,
    held: linksOf(artifact?.values[String(fieldId)]),
    isRead: readable.fieldById(fieldId) !== undefined,
    pointer: pointers.get(fieldId) ?? '/values',
    label: nameable.fieldById(fieldId)?.label ?? `Field ${fieldId}`,
    ...(artifact && { target: artifact }),
  }));
}

/** Whether other artifacts are to link to this one, or not to. */
export const asksSources = ({ wish: { parent, reverse } }: Pick<LinkRequest, 'wish'>): boolean =>
  parent !== undefined || reverse !== undefined;

/** The fields whose values name an artifact that shall link to this one. */
export const fieldsLinkedFrom = ({ links }: ParsedValues): readonly number[] =>
  [...links].flatMap(([id, wish]) => (namedSources(wish).length > 0 ? [id] : []));

const namedSources = ({ parent, reverse = [] }: LinkWish): readonly number[] => [
  ...reverse.map(({ id }) => id),
  ...(parent === undefined ? [] : [parent]),
];

/** The same as far as the members of the values tell it, of whatever fields they are. */
export const mayAskSources = (values: readonly unknown[]): boolean =>
  values.some((input) => isObject(input) && ('parent' in input || 'all_links' in input));

interface RequestedLinks {
  readonly forward: FieldValues;
  readonly reverse: ReverseLinks;
  /** Throws if the writer may not write all sources that change, by the rights of now. */
  readonly refuseSources: () => void;
}

/**
 * Those that the fields hold afterwards, and what other artifacts are ordered to hold. Throws one Problem that lists the
 * faulty links of all fields.
 */
export async function requestedLinks(
  requests: readonly FieldLinks[],
  ends: VisibleEnds,
  { caller }: Pick<ArtifactWrite, 'caller'>,
  ports: ArtifactPorts,
): Promise<RequestedLinks> {
  const checked = await Promise.all(
    requests.map(
      async (request) => [String(request.fieldId), await validateLinks(request, ends, ports, caller.viewer)] as const,
    ),
  );
  refuseViolations(checked.flatMap(([, { faults }]) => faults));
  const forward = checked.flatMap(([id, ends]) => (ends.forward === undefined ? [] : [[id, ends.forward] as const]));
  return {
    forward: Object.fromEntries(forward),
    reverse: oneEach(checked.map(([, { reverse }]) => reverse)),
    refuseSources: () => {
      refuseViolations(checked.flatMap(([, { refused }]) => refused()));
    },
  };
}

/** Each source receives one order: the one of the last field that adds it. A source that is removed is added by no field. */
function oneEach(changes: readonly ReverseLinks[]): ReverseLinks {
  const added = new Map(changes.flatMap(({ add }) => add).map((link) => [link.source, link]));
  const removed = new Set(changes.flatMap(({ remove }) => remove));
  return { add: [...added.values()], remove: [...removed] };
}
