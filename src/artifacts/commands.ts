/** Creating and changing artifacts: authorize, prepare, decide, claim, append. */
import { randomUUID } from 'node:crypto';
import { refuseOversized } from '../core/logs/bounded-log.js';
import { type Recorded, type Revision } from '../core/event-log.js';
import { handle, type CommandEnvelope, type Handled } from '../core/handle.js';
import { Problem } from '../core/problem.js';
import { findEvent } from '../core/stream-slices.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { artifactDecider, type Artifact, type ArtifactCommand } from './artifact.js';
import { artifactStream, type ArtifactEvent } from './artifact-events.js';
import { type NewFile } from './attachments/attachments.js';
import { fileClaims, type FileClaims } from './attachments/file-claims.js';
import { commentOf } from './comment.js';
import { defaultsFor } from '../trackers/field-types/defaults.js';
import { afterOrders } from './links/orders-under-way.js';
import { fieldsLinkedFrom, mayAskSources } from './links/requested-links.js';
import { titleFrom } from './from-artifact.js';
import { claimNewLabels, type PlannedLabels } from './open-values.js';
import { metadataOf, type ByCaller, type Caller } from '../authorization/caller.js';
import { type ArtifactPorts, type Precondition } from './ports.js';
import { refuseStale, submittableTracker, updatableTracker, withStream } from './authorize.js';
import { type ChangeBody } from './schemas.js';
import { numberedValues, prepareValues, type PreparedValues, type WrittenValues } from './prepare-values.js';
import { settle, settleAgain, settlementOf } from './settle-write.js';

/** Those of another artifact are looked up when the submission is carried out. */
export type SubmittedValues = WrittenValues | { readonly fromArtifact: number };

export interface Submission {
  readonly trackerId: number;
  readonly written: SubmittedValues;
  /** Asked once the values are found valid. */
  readonly identify: () => Promise<Identified>;
}

export interface Identified {
  readonly artifactId: number;
  readonly commandId: string;
  /** The id was given out for this submission. */
  readonly isFirst?: boolean;
  /** Run once the submission is decided, before a file is claimed for it. */
  readonly accept?: (metadata: ByCaller<unknown>) => Promise<void>;
}

export interface Submitted {
  readonly artifactId: number;
  readonly tracker: CompiledTracker;
  /** Of its submission, also if this request is a repeat and the artifact has changed since. */
  readonly revision: Revision;
  readonly lastModified: string | null;
}

/** Resolves once reading shows the artifact, or the patience of the read models is over. */
export async function submitArtifact(
  { trackerId, written: submitted, identify }: Submission,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const permitted = () => submittableTracker(trackerId, ports.definitions, caller.viewer);
  const tracker = permitted();
  const reading = { ...ports, viewer: caller.viewer };
  const written = 'fromArtifact' in submitted ? await titleFrom(submitted.fromArtifact, tracker, reading) : submitted;
  const prepared = await prepareValues({ tracker, written, caller, permitted }, ports);

  const { artifactId, commandId, isFirst = false, accept } = await identify();
  const metadata = metadataOf(caller, ports.clock(), stillPermitted);
  const isOnly = isFirst && accept === undefined;
  const claims = fileClaims({ artifactId, commandId, isOnly }, ports, caller);
  const envelope: CommandEnvelope<Artifact | null, ReadyCommand, ArtifactEvent> = {
    stream: artifactStream(artifactId),
    commandId,
    isFirst,
    metadata: { ...metadata, at: ports.clock },
    command: async () => {
      const ready = await readyFor(prepared, ports);
      return { type: 'SubmitArtifact', artifactId, ...ready, values: { ...defaultsFor(tracker), ...ready.values } };
    },
    definition: definitionOf,
    claim: claiming({ metadata, ...(accept && { accept }) }, claims, ports),
  };
  const handled = await claims.during(() => handle(ports.log, artifactDecider, envelope));
  const repeated = handled.position === null ? await submittedBefore(artifactId, ports) : null;
  if (repeated !== null) return repeated;
  await settle(handled, { artifactId, commandId, ...settlementOf(handled.command ?? prepared) }, ports, caller);
  return { artifactId, tracker, revision: handled.revision, lastModified: handled.lastModified };
}

/** What a submission was answered, once the read models show it; null when the artifact was never written. */
export async function submittedBefore(artifactId: number, ports: ArtifactPorts): Promise<Submitted | null> {
  const isSubmission = (event: Recorded<ArtifactEvent>) => event.type === 'ArtifactSubmitted';
  const first = await findEvent(ports.log, artifactStream(artifactId), isSubmission);
  const tracker = first && ports.definitions.tracker(first.data.trackerId);
  if (first === undefined || tracker === undefined) return null;
  await settleAgain(first, ports);
  return { artifactId, tracker, revision: first.revision, lastModified: first.metadata.at };
}

export interface Change {
  readonly artifactId: number;
  readonly written: WrittenValues;
  readonly comment: ChangeBody['comment'];
  readonly precondition: Precondition;
}

/** The same for a change. Everything is judged by the state that is written upon, also after a lost race. */
export async function changeArtifact(
  { artifactId, written, comment: said, precondition }: Change,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Handled<Artifact | null>> {
  const commandId = randomUUID();
  const metadata = metadataOf(caller, ports.clock(), stillPermitted);
  const claims = fileClaims({ artifactId, commandId, isOnly: true }, ports, caller);
  const envelope: CommandEnvelope<Artifact | null, ReadyCommand, ArtifactEvent> = {
    stream: artifactStream(artifactId),
    commandId,
    isNew: true,
    metadata: { ...metadata, at: ports.clock },
    command: async (current) => {
      const { state: artifact } = current;
      if (artifact === null || artifact.deleted) throw new Problem('not-found', 'No such artifact');
      const permitted = () => updatableTracker(artifact, ports.definitions, caller.viewer);
      const tracker = permitted();
      refuseStale(current, precondition);
      const comment = commentOf(said);
      const request = { tracker, written, caller, artifact, permitted };
      const ready = await readyFor(await prepareValues(request, ports), ports);
      return { type: 'ChangeArtifactValues', ...ready, ...(comment && { comment }) };
    },
    definition: definitionOf,
    claim: claiming({ metadata }, claims, ports),
  };
  const change = () => claims.during(() => handle(ports.log, artifactDecider, envelope));
  const work = async () => {
    const handled = await withStream(artifactId, { ...ports, viewer: caller.viewer }, change);
    await settle(handled, { artifactId, commandId, ...settlementOf(handled.command) }, ports, caller);
    return handled;
  };
  return 'values' in written && mayAskSources(written.values) ? afterOrders(artifactId, work, ports) : work();
}

/** A command with all that it takes before its event is appended. */
type ReadyCommand = Extract<ArtifactCommand, { type: 'SubmitArtifact' | 'ChangeArtifactValues' }> & {
  readonly refuseLost: () => void;
  readonly newFiles: readonly NewFile[];
  readonly labels: readonly PlannedLabels[];
};

const stillPermitted = (command: ReadyCommand): void => {
  command.refuseLost();
};

async function readyFor(prepared: PreparedValues, ports: ArtifactPorts) {
  const { tracker, blind, reverseLinks, newFiles, refuseLost } = prepared;
  const { values, labels } = await numberedValues(prepared, ports);
  return {
    tracker,
    values,
    blind,
    placeOf: prepared.parsed.placeOf,
    linkedFrom: fieldsLinkedFrom(prepared.parsed),
    refuseLost,
    ...(reverseLinks && { reverseLinks }),
    ...(newFiles.length > 0 && { attachedFiles: newFiles.map(({ fileId }) => fileId) }),
    newFiles,
    labels,
  };
}

interface Claiming extends Pick<Identified, 'accept'> {
  readonly metadata: ByCaller<ReadyCommand>;
}

/**
 * An event that no log takes is refused before anything is claimed. Files come before labels, because others race for
 * them. A request with an Idempotency-Key uses it up first: the one artifact of its copies claims the files.
 */
function claiming(
  { accept, metadata: byCaller }: Claiming,
  claims: FileClaims,
  { log }: ArtifactPorts,
): NonNullable<CommandEnvelope<unknown, ReadyCommand, ArtifactEvent>['claim']> {
  return async (command, { events, metadata, upon }) => {
    refuseOversized(events, metadata);
    const by = { ...byCaller, actor: () => byCaller.actor(command) };
    const claimLabels = () => claimNewLabels(log, command.labels, by);
    const early = accept === undefined ? undefined : await claimLabels();
    if (early === null) return null;
    await accept?.(by);
    const labels = await claims.take(command.newFiles, upon, () => early ?? claimLabels());
    return labels && { ...command, labels };
  };
}

const definitionOf = (command: ArtifactCommand): Revision | undefined =>
  'tracker' in command ? command.tracker.view.revision : undefined;
