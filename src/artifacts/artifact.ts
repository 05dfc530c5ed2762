import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type ArtifactEvent, type ToArchive, type Written } from './artifact-events.js';
import { type Field } from '../trackers/field-types/definition.js';
import { type FieldValues, type TextValue } from '../trackers/field-types/field-value.js';
import { isEmptyValue, linksOf } from '../trackers/field-types/canonical.js';
import { defaultsAmong, requiredMissing } from '../trackers/field-types/defaults.js';
import { changedValues, refuseMissing } from './fields/values.js';
import { refuseTransition } from './fields/workflow.js';
import { type RefusedValues } from './fields/violations.js';
import { fitsEvent, refuseTooLarge, totalFault, valueFault, valueFaults } from './fields/value-bounds.js';

/** Blind fields are recorded even without a change, so that every value gets the same answer. */
interface WriteCommand extends RefusedValues, Written {
  /** With the fields whose rules bind the writer. */
  readonly tracker: CompiledTracker;
  /** Fields of links whose written values name an artifact that shall link to this one, whether or not it does already. */
  readonly linkedFrom?: readonly number[];
}

/** Values come canonical and already checked one by one; what depends on the artifact's state is decided here. */
export type ArtifactCommand =
  /** With the defaults among its values. */
  | (WriteCommand & { readonly type: 'SubmitArtifact'; readonly artifactId: number })
  | (WriteCommand & { readonly type: 'ChangeArtifactValues'; readonly comment?: TextValue })
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

function submit(command: Of<'SubmitArtifact'>, artifact: Artifact | null): readonly ArtifactEvent[] {
  const { artifactId, tracker, values, reverseLinks, attachedFiles } = command;
  if (artifact !== null) return []; // ids are handed out once: this is the same submission again
  refuseMissing(unsatisfied(command, values), command);
  refuseTransition(command, {}, values);
  // Without its null, a computed value would be a sum.
  const isNumber = (id: string): boolean => tracker.fieldById(Number(id))?.type === 'computed';
  const given = Object.fromEntries(
    Object.entries(values).filter(([id, value]) => !isEmptyValue(value) || isNumber(id)),
  );
  refuseTooLarge(command, defaultsAmong(given, tracker), given);
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

function change(command: Of<'ChangeArtifactValues'>, artifact: Artifact): readonly ArtifactEvent[] {
  const { values, comment, reverseLinks, attachedFiles } = command;
  const changed = changedValues(artifact.values, values, command);
  refuseMissing(emptied(command, changed), command);
  refuseTransition(command, artifact.values, changed);
  refuseTooLarge(command, artifact.values, changed);
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

/** A source that is removed may have been all that a field of links had. */
function emptied(command: Of<'ChangeArtifactValues'>, changed: FieldValues): readonly Field[] {
  const { values, reverseLinks } = command;
  const unlinks = (reverseLinks?.remove.length ?? 0) > 0;
  return unsatisfied(command, values).filter(({ id, type }) =>
    Object.hasOwn(unlinks && type === 'art_link' ? values : changed, String(id)),
  );
}

/** A link that leads to the artifact satisfies a field of links, too. */
const unsatisfied = ({ tracker, linkedFrom = [] }: WriteCommand, values: FieldValues): readonly Field[] =>
  requiredMissing(tracker, values).filter(({ id }) => !linkedFrom.includes(id));

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

function refuseLongComment(comment: TextValue | undefined): void {
  const message = comment && valueFault(comment, undefined);
  if (message === undefined) return;
  throw new Problem('invalid', `The comment ${message}`, { details: [{ pointer: '/comment/body', message }] });
}
