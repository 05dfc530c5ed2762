import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/definition.js';
import { type ArtifactEvent, type ReverseLinks } from './artifact-events.js';
import { type FieldValue, type FieldValues, type Link, type TextValue } from './field-value.js';
import { linksOf } from './fields/canonical.js';
import { isEmptyValue, requiredMissing, sameValue } from './fields/values.js';

/** Values come canonical and already checked one by one; what depends on the artifact's state is decided here. */
export type ArtifactCommand =
  | {
      readonly type: 'SubmitArtifact';
      readonly artifactId: number;
      readonly tracker: CompiledTracker;
      /** Defaults included. */
      readonly values: FieldValues;
      readonly reverseLinks?: ReverseLinks;
      readonly attachedFiles?: readonly number[];
    }
  | {
      readonly type: 'ChangeArtifactValues';
      readonly tracker: CompiledTracker;
      readonly values: FieldValues;
      readonly comment?: TextValue;
      readonly reverseLinks?: ReverseLinks;
      readonly attachedFiles?: readonly number[];
    }
  | { readonly type: 'DeleteArtifact'; readonly toArchive?: { readonly linkedFrom: readonly Link[] } }
  /** From the other end of the link. `linkType` null takes it away; without a field, or an artifact, nothing is left to do. */
  | {
      readonly type: 'SetLink';
      readonly fieldId: number | null;
      readonly target: number;
      readonly linkType: string | null;
    };

export interface Artifact {
  readonly id: number;
  readonly trackerId: number;
  readonly values: FieldValues;
  readonly deleted: boolean;
}

export const artifactDecider: Decider<Artifact | null, ArtifactCommand, ArtifactEvent> = {
  initialState: null,

  decide(command, artifact) {
    if (command.type === 'SubmitArtifact') return submit(command, artifact);
    if (command.type === 'SetLink') return setLink(command, artifact);
    if (command.type === 'DeleteArtifact') return remove(command, artifact);
    if (artifact === null || artifact.deleted) throw new Problem('not-found', 'No such artifact');
    return change(command, artifact);
  },

  evolve(artifact, { type, data }) {
    switch (type) {
      case 'ArtifactSubmitted':
        return { id: data.artifactId, trackerId: data.trackerId, values: data.values, deleted: false };
      case 'ArtifactValuesChanged':
        return artifact && { ...artifact, values: { ...artifact.values, ...data.values } };
      case 'ArtifactDeleted':
        return artifact && { ...artifact, deleted: true };
      case 'ArtifactArchived':
        return artifact;
    }
  },
};

type Of<Type extends ArtifactCommand['type']> = Extract<ArtifactCommand, { type: Type }>;

function submit(
  { artifactId, tracker, values, reverseLinks, attachedFiles }: Of<'SubmitArtifact'>,
  artifact: Artifact | null,
): readonly ArtifactEvent[] {
  if (artifact !== null) return []; // ids are handed out once: this is the same submission again
  refuseMissing(requiredMissing(tracker, values));
  refuseTransition(tracker, {}, values);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmptyValue(value)));
  return [
    {
      type: 'ArtifactSubmitted',
      data: {
        artifactId,
        trackerId: tracker.id,
        values: given,
        ...(reverseLinks && { reverseLinks }),
        ...(attachedFiles && { attachedFiles }),
      },
    },
  ];
}

function change(
  { tracker, values, comment, reverseLinks, attachedFiles }: Of<'ChangeArtifactValues'>,
  artifact: Artifact,
): readonly ArtifactEvent[] {
  refuseMissing(requiredMissing(tracker, values).filter(({ id }) => Object.hasOwn(values, String(id))));
  const changed = changedValues(artifact.values, values);
  refuseTransition(tracker, artifact.values, changed);
  if (Object.keys(changed).length === 0 && comment === undefined && reverseLinks === undefined) return [];
  return [
    {
      type: 'ArtifactValuesChanged',
      data: {
        artifactId: artifact.id,
        trackerId: artifact.trackerId,
        values: changed,
        ...(comment && { comment }),
        ...(reverseLinks && { reverseLinks }),
        ...(attachedFiles && { attachedFiles }),
      },
    },
  ];
}

function remove({ toArchive }: Of<'DeleteArtifact'>, artifact: Artifact | null): readonly ArtifactEvent[] {
  if (artifact === null) throw new Problem('not-found', 'No such artifact');
  if (artifact.deleted) return [];
  const { id: artifactId, trackerId } = artifact;
  return [{ type: 'ArtifactDeleted', data: { artifactId, trackerId, ...(toArchive && { toArchive }) } }];
}

function setLink({ fieldId, target, linkType }: Of<'SetLink'>, artifact: Artifact | null): readonly ArtifactEvent[] {
  if (fieldId === null || artifact === null || artifact.deleted) return [];
  const links = linksOf(artifact.values[String(fieldId)]);
  const others = links.filter(({ id }) => id !== target);
  const wanted = linkType === null ? others : [...others, { id: target, type: linkType }];
  const values = changedValues(artifact.values, { [String(fieldId)]: wanted });
  if (Object.keys(values).length === 0) return [];
  return [{ type: 'ArtifactValuesChanged', data: { artifactId: artifact.id, trackerId: artifact.trackerId, values } }];
}

function changedValues(current: FieldValues, wanted: FieldValues): FieldValues {
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => !sameValue(Object.hasOwn(current, field) ? current[field] : null, value),
    ),
  );
}

function refuseMissing(missing: readonly Field[]): void {
  if (missing.length === 0) return;
  const messages = missing.map(({ label, name }) => `The field ${label} (${name}) has to have a value`);
  throw new Problem('invalid', messages.join('; '), {
    details: messages.map((message) => ({ pointer: '/values', message })),
  });
}

/** A workflow names every step that its field may take, the first one (from null) included. */
function refuseTransition(tracker: CompiledTracker, current: FieldValues, changed: FieldValues): void {
  const { workflow } = tracker.view;
  const key = String(workflow?.field);
  if (workflow === null || !Object.hasOwn(changed, key)) return;

  const from = selected(current[key]);
  const to = selected(changed[key]);
  if (from === to || workflow.transitions.some((step) => step.from === from && step.to === to)) return;
  const field = tracker.fieldById(workflow.field);
  const label = (id: number | null): string =>
    field?.values?.find((value) => value.id === id)?.label ?? (from === null && id === null ? 'New artifact' : 'None');
  const message = `The workflow has no transition from "${label(from)}" to "${label(to)}" in the field ${field?.label ?? key}`;
  throw new Problem('invalid', message, { details: [{ pointer: '/values', message }] });
}

function selected(value: FieldValue | undefined): number | null {
  const first: unknown = Array.isArray(value) ? value[0] : null;
  return typeof first === 'number' ? first : null;
}
