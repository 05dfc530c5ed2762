/** Creating and changing artifacts: everything between a validated request and the events of its streams. */
import { randomUUID } from 'node:crypto';
import { refuseOversized } from '../core/logs/bounded-log.js';
import { ROOM_BYTES } from '../core/bounds.js';
import { type Revision } from '../core/event-log.js';
import { handle, type CommandEnvelope, type Current, type Handled } from '../core/handle.js';
import { Problem } from '../core/problem.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { artifactDecider, type Artifact, type ArtifactCommand } from './artifact.js';
import { artifactStream, type ArtifactEvent } from './artifact-events.js';
import { ARTIFACTS } from './artifact-view.js';
import { claimFiles, withClaims } from './attachments/attachments.js';
import { commentOf } from './comment.js';
import { defaultsFor, requiredMissing } from './fields/values.js';
import { titleFrom } from './from-artifact.js';
import { factsOf, type ArtifactPorts, type Caller } from './ports.js';
import { submittableTracker, updatableTracker, withStream } from './authorize.js';
import { type ChangeBody } from './schemas.js';
import { readyValues, type Judge, type Judged, type WrittenValues } from './prepare-values.js';
import { settle, type Written } from './settle-write.js';

/** Those of another artifact are looked up when the submission is carried out. */
export type SubmittedValues = WrittenValues | { readonly fromArtifact: number };

export interface Submission {
  readonly trackerId: number;
  readonly written: SubmittedValues;
  /** Whether `accept` uses up a key, which a refusal after it would not give back. */
  readonly isOnce: boolean;
  /** Run once everything is found valid, right before the artifact's event: gives the id and the command's name. */
  readonly accept: (metadata: ReturnType<typeof factsOf>) => Promise<{ artifactId: number; commandId: string }>;
}

export interface Submitted {
  readonly artifactId: number;
  readonly tracker: CompiledTracker;
  /** Of its submission, also if this request is a repeat and the artifact has changed since. */
  readonly revision: Revision;
  readonly lastModified: string | null;
}

/** Resolves once the read models show the artifact, or their patience is over. */
export async function submitArtifact(
  { trackerId, written: submitted, isOnce, accept }: Submission,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const tracker = submittableTracker(trackerId, ports.directory, caller.viewer);
  refuseUnsubmittable(tracker, caller);
  const reading = { ...ports, viewer: caller.viewer };
  const written = 'fromArtifact' in submitted ? await titleFrom(submitted.fromArtifact, tracker, reading) : submitted;
  const metadata = factsOf(caller, ports.clock());
  const submission = (artifactId: number, judged: Decidable): ArtifactCommand => {
    const { values, ...more } = partsOf(judged);
    return { type: 'SubmitArtifact', artifactId, values: { ...defaultsFor(tracker), ...values }, ...more };
  };
  const facts = { metadata, commandId: randomUUID() };
  const judge: Judge = (judged) => {
    refuseUndecidable(submission(0, judged), null, { ...facts, room: roomFor(judged.addsLabels || isOnce) });
  };
  const ready = await readyValues({ tracker, written, caller, judge, ...facts }, ports);
  const { reverseLinks, newFiles, labelled } = ready;

  const { artifactId, commandId } = await accept(metadata);
  const envelope: CommandEnvelope<Artifact | null, ArtifactCommand> = {
    stream: artifactStream(artifactId),
    commandId,
    metadata,
    command: async ({ state, revision: upon }) => {
      if (state === null) await claimFiles(newFiles, { artifactId, commandId, upon }, ports, caller);
      return submission(artifactId, ready);
    },
    definition: definitionOf,
  };
  const claims = () => ({ files: newFiles, artifactId, commandId });
  const handled = await withClaims(claims, ports, caller, () => handle(ports.log, artifactDecider, envelope));
  const repeated = handled.position === null ? await submittedBefore(artifactId, ports) : null;
  if (repeated !== null) return repeated;
  await settle(handled, { artifactId, commandId, reverseLinks, newFiles, labelled }, ports, caller);
  return { artifactId, tracker, revision: handled.revision, lastModified: handled.lastModified };
}

/** What a submission was answered, once the read models show it; null when the artifact was never written. */
export async function submittedBefore(
  artifactId: number,
  { log, directory, readModels }: ArtifactPorts,
): Promise<Submitted | null> {
  const { events } = await log.read<ArtifactEvent>(artifactStream(artifactId));
  const first = events.find((event) => event.type === 'ArtifactSubmitted');
  const tracker = first && directory.tracker(first.data.trackerId);
  if (first === undefined || tracker === undefined) return null;
  await readModels.caughtUp(ARTIFACTS, first.position);
  return { artifactId, tracker, revision: first.revision, lastModified: first.metadata.at };
}

export interface Change {
  readonly artifactId: number;
  readonly written: WrittenValues;
  readonly comment: ChangeBody['comment'];
  /** Whether what the client last saw is what the stream holds. */
  readonly precondition: (current: Pick<Current<unknown>, 'revision' | 'lastModified'>) => boolean;
}

/** The same for a change. Everything is judged by the state that is written upon, also after a lost race. */
export async function changeArtifact(
  { artifactId, written, comment: said, precondition }: Change,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Handled<Artifact | null>> {
  const commandId = randomUUID();
  const metadata = factsOf(caller, ports.clock());
  let done: Pick<Written, 'reverseLinks' | 'newFiles' | 'labelled'> = {
    reverseLinks: undefined,
    newFiles: [],
    labelled: null,
  };
  const envelope: CommandEnvelope<Artifact | null, ArtifactCommand> = {
    stream: artifactStream(artifactId),
    commandId,
    metadata,
    command: async (current): Promise<ArtifactCommand> => {
      const { state: artifact } = current;
      if (artifact === null || artifact.deleted) throw new Problem('not-found', 'No such artifact');
      const tracker = updatableTracker(artifact, ports.directory, caller.viewer);
      if (!precondition(current)) throw new Problem('stale', 'The artifact has changed since you read it');
      const comment = commentOf(said);
      const changing = (judged: Decidable): ArtifactCommand => ({
        type: 'ChangeArtifactValues',
        ...partsOf(judged),
        ...(comment && { comment }),
      });
      const judge: Judge = (judged) => {
        refuseUndecidable(changing(judged), artifact, { metadata, commandId, room: roomFor(judged.addsLabels) });
      };
      const ready = await readyValues({ tracker, written, caller, artifact, commandId, metadata, judge }, ports);
      const { reverseLinks, newFiles, labelled } = ready;
      done = { reverseLinks, newFiles: [...done.newFiles, ...newFiles], labelled: labelled ?? done.labelled };
      await claimFiles(newFiles, { artifactId, commandId, upon: current.revision }, ports, caller);
      return changing(ready);
    },
    definition: definitionOf,
  };
  const claims = () => ({ files: done.newFiles, artifactId, commandId });
  const change = () => handle(ports.log, artifactDecider, envelope);
  const handled = await withStream(artifactId, { ...ports, viewer: caller.viewer }, () =>
    withClaims(claims, ports, caller, change),
  );
  await settle(handled, { artifactId, commandId, ...done }, ports, caller);
  return handled;
}

type Decidable = Pick<Judged, 'values' | 'tracker' | 'blind' | 'reverseLinks' | 'newFiles'>;

const partsOf = ({ values, tracker, blind, reverseLinks, newFiles }: Decidable) => ({
  tracker,
  values,
  blind,
  ...(reverseLinks && { reverseLinks }),
  ...(newFiles.length > 0 && { attachedFiles: newFiles.map(({ fileId }) => fileId) }),
});

const definitionOf = (command: ArtifactCommand): Revision | undefined =>
  'tracker' in command ? command.tracker.view.revision : undefined;

/** Without the right to fill in a field that is required and readable, nothing at all can be submitted. */
function refuseUnsubmittable(tracker: CompiledTracker, { viewer }: Caller): void {
  const required = requiredMissing(viewer.readable(tracker), defaultsFor(tracker));
  const field = required.find((candidate) => !viewer.mayWrite('submit', tracker, candidate));
  if (field === undefined) return;
  throw new Problem('forbidden', `You may not submit the field ${field.label}, which this tracker requires`);
}

/** What comes before the event cannot be taken back if the event is refused. */
const roomFor = (comesLater: boolean): number => (comesLater ? ROOM_BYTES : 0);

/** Before an idempotency key is used up, a label is added or a file is claimed. */
function refuseUndecidable(
  command: ArtifactCommand,
  artifact: Artifact | null,
  { metadata, commandId, room }: Pick<CommandEnvelope<unknown, unknown>, 'metadata' | 'commandId'> & { room: number },
): void {
  const definition = definitionOf(command);
  const facts = { ...metadata, schema: 1, commandId, ...(definition !== undefined && { definition }) };
  refuseOversized(artifactDecider.decide(command, artifact), facts, room);
}
