/** Creating and changing artifacts: everything between a validated request and the events of its streams. */
import { randomUUID } from 'node:crypto';
import { type Position, type Revision } from '../core/event-log.js';
import { handle, type Current, type Handled } from '../core/handle.js';
import { Problem } from '../core/problem.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { artifactDecider, type Artifact, type ArtifactCommand } from './artifact.js';
import { artifactStream, type ReverseLinks } from './artifact-events.js';
import { ARTIFACTS } from './artifact-view.js';
import { type FieldValues, type TextValue } from './field-value.js';
import { defaultsFor, isEmptyValue } from './fields/values.js';
import { carryOut, ordersOf } from './links.js';
import { factsOf, type ArtifactPorts, type Caller } from './ports.js';
import { submittableTracker, updatableTracker } from './reach.js';
import { readyValues, type WrittenValues } from './write-values.js';

export interface Submission {
  readonly trackerId: number;
  readonly written: WrittenValues;
  /** Run once everything is found valid, right before the artifact's event: gives the id and the command's name. */
  readonly accept: (metadata: ReturnType<typeof factsOf>) => Promise<{ artifactId: number; commandId: string }>;
}

export interface Submitted {
  readonly artifactId: number;
  readonly tracker: CompiledTracker;
  /** Of its first event, even when this request is a repeat and others came since. */
  readonly revision: Revision;
  readonly lastModified: string | null;
}

/** Resolves once the read models show the artifact, or their patience is over. */
export async function submitArtifact(
  { trackerId, written, accept }: Submission,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Submitted> {
  const tracker = submittableTracker(trackerId, ports.directory, caller.viewer);
  refuseUnsubmittable(tracker, caller);
  const metadata = factsOf(caller, ports.clock());
  const request = { tracker, written, caller, metadata, commandId: randomUUID() };
  const { values, reverseLinks } = await readyValues(request, ports);
  const complete = { ...defaultsFor(tracker), ...values };
  refuseUndecidable(tracker, complete);

  const { artifactId, commandId } = await accept(metadata);
  const handled = await handle(ports.log, artifactDecider, {
    stream: artifactStream(artifactId),
    commandId,
    metadata,
    command: (): ArtifactCommand => ({
      type: 'SubmitArtifact',
      artifactId,
      tracker,
      values: complete,
      ...(reverseLinks && { reverseLinks }),
    }),
    definition: definitionOf,
  });
  await finish(handled, { artifactId, commandId, reverseLinks }, ports, caller);
  return { artifactId, tracker, revision: 0, lastModified: await firstInstant(handled, artifactId, ports) };
}

export interface Change {
  readonly artifactId: number;
  readonly written: WrittenValues;
  readonly comment: TextValue | undefined;
  /** Whether what the client last saw is what the stream holds. */
  readonly precondition: (current: Pick<Current<unknown>, 'revision' | 'lastModified'>) => boolean;
}

/** The same for a change. Everything is judged by the state that is written upon, also after a lost race. */
export async function changeArtifact(
  { artifactId, written, comment, precondition }: Change,
  ports: ArtifactPorts,
  caller: Caller,
): Promise<Handled<Artifact | null>> {
  const commandId = randomUUID();
  const metadata = factsOf(caller, ports.clock());
  let reverseLinks: ReverseLinks | undefined;
  const handled = await handle(ports.log, artifactDecider, {
    stream: artifactStream(artifactId),
    commandId,
    metadata,
    command: async (current): Promise<ArtifactCommand> => {
      const { state: artifact } = current;
      if (artifact === null || artifact.deleted) throw new Problem('not-found', 'No such artifact');
      const tracker = updatableTracker(artifact, ports.directory, caller.viewer);
      if (!precondition(current)) throw new Problem('stale', 'The artifact has changed since you read it');
      const ready = await readyValues({ tracker, written, caller, artifact, commandId, metadata }, ports);
      reverseLinks = ready.reverseLinks;
      return { type: 'ChangeArtifactValues', tracker, ...ready, ...(comment && { comment }) };
    },
    definition: definitionOf,
  });
  await finish(handled, { artifactId, commandId, reverseLinks }, ports, caller);
  return handled;
}

const definitionOf = (command: ArtifactCommand): Revision | undefined =>
  'tracker' in command ? command.tracker.view.revision : undefined;

interface Written {
  readonly artifactId: number;
  readonly commandId: string;
  readonly reverseLinks: ReverseLinks | undefined;
}

/** Carries links to their sources, then waits until the read models hold the last of it. */
async function finish(
  { position }: Handled<unknown>,
  { artifactId, commandId, reverseLinks }: Written,
  ports: ArtifactPorts,
  { viewer, requestId }: Caller,
): Promise<void> {
  let last: Position | null = position;
  const order = { commandId, target: artifactId, actor: viewer.user?.id ?? null };
  for (const link of position === null || reverseLinks === undefined ? [] : ordersOf(reverseLinks, order)) {
    last = (await carryOut(link, ports, requestId)) ?? last;
  }
  if (last !== null) await ports.readModels.caughtUp(ARTIFACTS, last);
}

/** A repeat finds the artifact there, perhaps changed since: what it is answered is what the first one was. */
async function firstInstant({ position, lastModified }: Handled<unknown>, id: number, { log }: ArtifactPorts) {
  if (position !== null) return lastModified;
  return (await log.read(artifactStream(id))).events[0]?.metadata.at ?? null;
}

/** Whoever may not fill in all that is required can submit nothing at all. */
function refuseUnsubmittable(tracker: CompiledTracker, { viewer }: Caller): void {
  const field = tracker.fields.find(
    (candidate) =>
      candidate.required && isEmptyValue(candidate.default ?? null) && !viewer.may('submit', tracker, candidate),
  );
  if (field === undefined) return;
  throw new Problem('forbidden', `You may not submit the field ${field.label}, which this tracker requires`);
}

/** Before an idempotency key is used up: what the decider will refuse is refused now. */
function refuseUndecidable(tracker: CompiledTracker, values: FieldValues): void {
  artifactDecider.decide({ type: 'SubmitArtifact', artifactId: 0, tracker, values }, null);
}
