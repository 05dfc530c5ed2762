/** The process that deletes an artifact: counted for its user first, then deleted, then archived. */
import { randomUUID } from 'node:crypto';
import { artifactDecider, type Artifact, type ArtifactCommand } from '../artifact.js';
import { artifactStream, type ArtifactEvent } from '../artifact-events.js';
import { metadataAfterwards, metadataOf, type Caller } from '../../authorization/caller.js';
import { deletableTracker, refuseStale, withStream } from '../authorize.js';
import { type EventLog, type Metadata, type Position, type Recorded } from '../../core/event-log.js';
import { foldedStream } from '../../core/folded-streams.js';
import { handle } from '../../core/handle.js';
import { Problem } from '../../core/problem.js';
import { findEvent } from '../../core/stream-slices.js';
import { type UserView } from '../../users/user-view.js';
import {
  countOf,
  deletionDecider,
  deletionsLeft,
  type DeletionCommand,
  type DeletionCounts,
} from './deletion-count.js';
import { deletionsStream, type DeletionCount } from './deletion-count-events.js';
import { deleteCommand } from './linked-from.js';
import { type PendingDeletionView } from './pending-deletions-view.js';
import { shown } from '../unshown-writes.js';
import { type Precondition } from '../ports.js';
import { type DeletionPorts } from './ports.js';

/** What a user may delete in 24 hours, and how much of that is left. */
export interface Allowance {
  readonly limit: number;
  readonly left: number;
}

interface Deletion {
  readonly artifactId: number;
  /** Undefined where the client set no condition. */
  readonly precondition: Precondition | undefined;
}

/** Tells the allowance whenever it is known anew, before anything is refused too. */
export async function deleteArtifact(
  { artifactId, precondition }: Deletion,
  ports: DeletionPorts,
  caller: Caller & { readonly user: UserView },
  tell: (allowance: Allowance) => void,
): Promise<void> {
  const { log, definitions, clock, readModels } = ports;
  const userId = caller.user.id;
  const now = clock();
  const metadata = metadataAfterwards(caller, now);
  const limit = definitions.platform().artifactDeletionLimit;
  const tellOf = (counts: DeletionCounts): void => {
    tell({ limit, left: deletionsLeft(counts, limit, now.toISOString()) });
  };
  tellOf((await foldedStream(log, deletionDecider, deletionsStream(userId))).current.state);
  const { artifact, known, ...meant } = await deletableRevision({ artifactId, precondition }, ports, caller);

  const deletionId = randomUUID();
  const { state } = await handle(log, deletionDecider, {
    stream: deletionsStream(userId),
    commandId: deletionId,
    isNew: true,
    metadata: metadataOf(caller, now, () => deletableTracker(artifact, definitions, caller.viewer)),
    command: ({ state: counts }): DeletionCommand => {
      tellOf(counts);
      return { type: 'CountDeletion', userId, artifactId, deletionId, at: metadata.at, limit, ...meant };
    },
  });
  tellOf(state);
  // That of an earlier request, where one was cut off or is under way.
  const counted = countOf(state, artifactId, deletionId) ?? { deletionId, at: metadata.at };
  const deletion = {
    id: counted.deletionId,
    userId,
    artifactId,
    at: counted.at,
    by: counted.deletionId === deletionId ? ('its request' as const) : ('another request' as const),
    known,
    ...meant,
  };
  const position = await carryOutDeletion(deletion, ports, metadata, tellOf);
  if (position === null) throw new Problem('not-found', 'No such artifact');
  await shown([artifactId], position, readModels);
  await archiveQuietly(artifactId, ports);
}

interface Deletable extends Pick<DeletionCount, 'upon'> {
  readonly artifact: Artifact;
  readonly known: ArtifactCommand;
}

/** Throws for what the caller may not delete. With the only revision that the caller means, if there is one. */
async function deletableRevision(
  { artifactId, precondition }: Deletion,
  ports: DeletionPorts,
  { viewer }: Caller,
): Promise<Deletable> {
  const { log, definitions } = ports;
  const read = () => foldedStream(log, artifactDecider, artifactStream(artifactId));
  const { current } = await withStream(artifactId, { ...ports, viewer }, read);
  const { state: artifact } = current;
  if (artifact === null || artifact.deleted) throw new Problem('not-found', 'No such artifact');
  deletableTracker(artifact, definitions, viewer);
  if (precondition !== undefined) refuseStale(current, precondition);
  const known = await deleteCommand(artifactId, ports);
  return { artifact, known, ...(precondition !== undefined && { upon: current.revision }) };
}

interface CountedDeletion extends PendingDeletionView {
  /** What a recovery does on the count's behalf is done for the request that made the count. */
  readonly by?: 'its request' | 'another request';
  /** Of a request: as it was found before the count. */
  readonly known?: ArtifactCommand;
}

type By = Pick<Metadata, 'actor' | 'at' | 'requestId'>;

/**
 * Deletes the artifact on its count's behalf. Null when the deletion is another's: of a request that found the same
 * count, or of another user; the count is released then.
 */
export async function carryOutDeletion(
  deletion: CountedDeletion,
  ports: DeletionPorts,
  metadata: By,
  released: (counts: DeletionCounts) => void = () => undefined,
): Promise<Position | null> {
  const { id: commandId, artifactId } = deletion;
  const isOwn = deletion.by !== 'another request';
  const { log } = ports;
  const { position, written } = await deleted(deletion, ports, metadata).catch(async (error: unknown) => {
    if (isOwn && error instanceof Problem && error.kind === 'stale') released(await release(deletion, log, metadata));
    throw error;
  });
  if (written) return position;

  const stream = artifactStream(artifactId);
  const last = await findEvent(log, stream, (event: Recorded<ArtifactEvent>) => event.type === 'ArtifactDeleted');
  if (last?.metadata.commandId === commandId) {
    const byRecovery = last.metadata.requestId === undefined;
    return isOwn && byRecovery ? last.position : null;
  }
  released(await release(deletion, log, metadata));
  return null;
}

function deleted({ id, artifactId, upon, known }: CountedDeletion, ports: DeletionPorts, metadata: By) {
  return handle(ports.log, artifactDecider, {
    stream: artifactStream(artifactId),
    commandId: id,
    attemptId: randomUUID(),
    metadata,
    command: (current) => {
      const isMeant: Precondition = ({ revision }) => upon === undefined || revision === upon;
      if (current.state?.deleted === false) refuseStale(current, isMeant);
      return deleteCommand(artifactId, ports, known);
    },
  });
}

async function release({ id: deletionId, userId, artifactId, at: countedAt }: CountedDeletion, log: EventLog, by: By) {
  const { state } = await handle(log, deletionDecider, {
    stream: deletionsStream(userId),
    commandId: randomUUID(),
    isNew: true,
    metadata: by,
    command: (): DeletionCommand => ({
      type: 'ReleaseDeletion',
      userId,
      artifactId,
      deletionId,
      countedAt,
      at: by.at,
    }),
  });
  return state;
}

/** What cannot be archived now is found again by the recovery: a full disk is no reason to say that nothing was deleted. */
export async function archiveQuietly(artifactId: number, { archive, logger }: DeletionPorts): Promise<void> {
  try {
    await archive(artifactId);
  } catch (error) {
    logger.error({ err: error, artifactId }, 'deleted artifact not archived yet');
  }
}
