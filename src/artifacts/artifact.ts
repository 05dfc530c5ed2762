import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/field-types/definition.js';
import { type ArtifactEvent, type ReverseLinks, type ToArchive } from './artifact-events.js';
import { type FieldValues, type TextValue } from '../trackers/field-types/field-value.js';
import { linksOf } from '../trackers/field-types/canonical.js';
import { changedValues, defaultsAmong, isEmptyValue, requiredMissing } from './fields/values.js';
import { refuseTransition } from './fields/workflow.js';
import { fitsEvent, totalFault, valueFault, valueFaults } from './fields/value-bounds.js';

interface WriteCommand {
  /** With the fields whose rules bind the writer. */
  readonly tracker: CompiledTracker;
  /**
   * Ids of written fields that the writer may not read. These are recorded even without a change, so that every value
   * gets the same answer. Refusals name neither field nor value.
   */
  readonly blind?: readonly number[] | undefined;
}

/** Values come canonical and already checked one by one; what depends on the artifact's state is decided here. */
export type ArtifactCommand =
  | (WriteCommand & {
      readonly type: 'SubmitArtifact';
      readonly artifactId: number;
      /** Defaults included. */
      readonly values: FieldValues;
      readonly reverseLinks?: ReverseLinks;
      readonly attachedFiles?: readonly number[];
    })
  | (WriteCommand & {
      readonly type: 'ChangeArtifactValues';
      readonly values: FieldValues;
      readonly comment?: TextValue;
      readonly reverseLinks?: ReverseLinks;
      readonly attachedFiles?: readonly number[];
    })
  | { readonly type: 'DeleteArtifact'; readonly toArchive?: ToArchive }
  /** From the other end: the first field holds the link afterwards, unless `linkType` is null; the others do not. */
  | {
      readonly type: 'SetLink';
      readonly fieldIds: readonly number[];
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
      case 'FileClaimsReleased':
        return artifact;
    }
  },

  isModification: ({ type }) => type !== 'FileClaimsReleased',
};

type Of<Type extends ArtifactCommand['type']> = Extract<ArtifactCommand, { type: Type }>;

function submit(
  { artifactId, tracker, values, blind, reverseLinks, attachedFiles }: Of<'SubmitArtifact'>,
  artifact: Artifact | null,
): readonly ArtifactEvent[] {
  if (artifact !== null) return []; // ids are handed out once: this is the same submission again
  refuseMissing(requiredMissing(tracker, values), blind);
  refuseTransition({ tracker, blind }, {}, values);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmptyValue(value)));
  refuseTooLarge(tracker, defaultsAmong(given, tracker), given);
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
  { tracker, values, blind, comment, reverseLinks, attachedFiles }: Of<'ChangeArtifactValues'>,
  artifact: Artifact,
): readonly ArtifactEvent[] {
  refuseMissing(
    requiredMissing(tracker, values).filter(({ id }) => Object.hasOwn(values, String(id))),
    blind,
  );
  const changed = changedValues(artifact.values, values, blind);
  refuseTransition({ tracker, blind }, artifact.values, changed);
  refuseTooLarge(tracker, artifact.values, changed);
  refuseLongComment(comment);
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

/** The target's event has promised the link: `takesLink` was asked before that, and the bounds are not held against it now. */
function setLink(command: Of<'SetLink'>, artifact: Artifact | null): readonly ArtifactEvent[] {
  if (artifact === null || artifact.deleted) return [];
  const values = linkChange(command, artifact);
  if (Object.keys(values).length === 0 || !fitsEvent(values)) return [];
  return [{ type: 'ArtifactValuesChanged', data: { artifactId: artifact.id, trackerId: artifact.trackerId, values } }];
}

type LinkChange = Omit<Of<'SetLink'>, 'type'>;

function linkChange({ fieldIds, target, linkType }: LinkChange, { values }: Artifact): FieldValues {
  const wanted = fieldIds.map((fieldId, index) => {
    const others = linksOf(values[String(fieldId)]).filter(({ id }) => id !== target);
    const isHeld = index === 0 && linkType !== null;
    return [String(fieldId), isHeld ? [...others, { id: target, type: linkType }] : others] as const;
  });
  return changedValues(values, Object.fromEntries(wanted));
}

/** Whether the artifact would stay within its bounds, by all values that it holds. */
export function takesLink(link: LinkChange, artifact: Artifact): boolean {
  const { values: held } = artifact;
  const changed = linkChange(link, artifact);
  return fitsEvent(changed) && valueFaults(held, changed).length === 0 && totalFault(held, changed) === undefined;
}

function refuseMissing(missing: readonly Field[], blind: WriteCommand['blind'] = []): void {
  if (missing.length === 0) return;
  const messages = missing.map(({ id, label, name }) =>
    blind.includes(id) ? `${label} must have a value` : `The field ${label} (${name}) must have a value`,
  );
  throw new Problem('invalid', messages.join('; '), {
    details: messages.map((message) => ({ pointer: '/values', message })),
  });
}

/** No larger than the bounds, or at least no larger than before. */
function refuseTooLarge(tracker: CompiledTracker, held: FieldValues, changed: FieldValues): void {
  const faults = valueFaults(held, changed).map(({ fieldId, message }) => {
    const label = fieldId === null ? undefined : tracker.fieldById(fieldId)?.label;
    return label === undefined ? message : `${label}: ${message}`;
  });
  if (faults.length > 0) {
    throw new Problem('invalid', faults.join('\n'), {
      details: faults.map((message) => ({ pointer: '/values', message })),
    });
  }
  const message = totalFault(held, changed);
  if (message !== undefined) throw new Problem('too-large', message, { details: [{ pointer: '/values', message }] });
}

function refuseLongComment(comment: TextValue | undefined): void {
  const message = comment && valueFault(comment, undefined);
  if (message === undefined) return;
  throw new Problem('invalid', `The comment ${message}`, { details: [{ pointer: '/comment/body', message }] });
}
