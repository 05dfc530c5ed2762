/** The process that deletes an artifact: counted for its user first, then deleted, then archived. */
import { randomUUID } from 'node:crypto';
import { artifactDecider, type ArtifactCommand } from '../artifact.js';
import { artifactStream, type ArtifactEvent, type ToArchive } from '../artifact-events.js';
import { ARTIFACTS, artifactViews, type ArtifactView, LINKS_KEY } from '../artifact-view.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { metadataOf, type Caller } from '../../authorization/caller.js';
import { deletableTracker, withStream } from '../authorize.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { MAX_ARCHIVED_LINKS } from '../../core/bounds.js';
import { type Position, type Recorded } from '../../core/event-log.js';
import { foldedStream } from '../../core/folded-streams.js';
import { handle, type CommandEnvelope } from '../../core/handle.js';
import { Problem } from '../../core/problem.js';
import { findEvent } from '../../core/stream-slices.js';
import { slicesOf, type Criterion, type Query } from '../../core/read-models.js';
import { type UserView } from '../../users/user-view.js';
import {
  countOf,
  deletionDecider,
  deletionsLeft,
  type DeletionCommand,
  type DeletionCounts,
} from './deletion-count.js';
import { deletionsStream } from './deletion-count-events.js';
import { type PendingDeletionView } from './pending-deletions-view.js';
import { shown } from '../unshown-writes.js';
import { type DeletionPorts } from './ports.js';

/** What a user may delete in 24 hours, and how much of that is left. */
export interface Allowance {
  readonly limit: number;
  readonly left: number;
}

/** Tells the allowance whenever it is known anew, before anything is refused too. */
export async function deleteArtifact(
  artifactId: number,
  ports: DeletionPorts,
  caller: Caller & { readonly user: UserView },
  tell: (allowance: Allowance) => void,
): Promise<void> {
  const { log, definitions, clock, readModels } = ports;
  const userId = caller.user.id;
  const now = clock();
  const metadata = metadataOf(caller, now);
  const limit = definitions.platform().artifactDeletionLimit;
  const tellOf = (counts: DeletionCounts | null): void => {
    tell({ limit, left: deletionsLeft(counts, limit, now.toISOString()) });
  };
  tellOf((await foldedStream(log, deletionDecider, deletionsStream(userId))).current.state);
  await refuseUndeletable(artifactId, ports, caller);

  const deletionId = randomUUID();
  const { state } = await handle(log, deletionDecider, {
    stream: deletionsStream(userId),
    commandId: deletionId,
    isNew: true,
    metadata,
    command: ({ state: counts }): DeletionCommand => {
      tellOf(counts);
      return { type: 'CountDeletion', userId, artifactId, deletionId, at: metadata.at, limit };
    },
  });
  tellOf(state);
  // That of an earlier request, where one was cut off or is under way.
  const counted = countOf(state, artifactId) ?? { deletionId, at: metadata.at };
  const deletion = {
    id: counted.deletionId,
    userId,
    artifactId,
    at: counted.at,
    isOwn: counted.deletionId === deletionId,
  };
  const position = await carryOutDeletion(deletion, ports, metadata, tellOf);
  if (position === null) throw new Problem('not-found', 'No such artifact');
  await shown([artifactId], position, readModels);
  await archiveQuietly(artifactId, ports);
}

async function refuseUndeletable(artifactId: number, ports: DeletionPorts, { viewer }: Caller) {
  const { log, definitions } = ports;
  const read = () => foldedStream(log, artifactDecider, artifactStream(artifactId));
  const { state: artifact } = (await withStream(artifactId, { ...ports, viewer }, read)).current;
  if (artifact === null || artifact.deleted) throw new Problem('not-found', 'No such artifact');
  deletableTracker(artifact, definitions, viewer);
  // Refused after the count, the deletion would be carried out by the recovery nevertheless.
  await deleteCommand(artifactId, ports);
}

interface CountedDeletion extends PendingDeletionView {
  /** Whether the caller made the count: what a recovery does on the count's behalf is then the caller's. */
  readonly isOwn?: boolean;
}

/**
 * Deletes the artifact on its count's behalf. Null when the deletion is another's: of a request that found the same
 * count, or of another user; the count is released then.
 */
export async function carryOutDeletion(
  { id: deletionId, userId, artifactId, at: countedAt, isOwn = true }: CountedDeletion,
  ports: DeletionPorts,
  metadata: CommandEnvelope<unknown, unknown>['metadata'],
  released: (counts: DeletionCounts | null) => void = () => undefined,
): Promise<Position | null> {
  const { log } = ports;
  const stream = artifactStream(artifactId);
  const { position, written } = await handle(log, artifactDecider, {
    stream,
    commandId: deletionId,
    attemptId: randomUUID(),
    metadata,
    command: () => deleteCommand(artifactId, ports),
  });
  if (written) return position;

  const deleted = await findEvent(log, stream, (event: Recorded<ArtifactEvent>) => event.type === 'ArtifactDeleted');
  if (deleted?.metadata.commandId === deletionId) {
    const byRecovery = deleted.metadata.requestId === undefined;
    return isOwn && byRecovery ? deleted.position : null;
  }
  const { state } = await handle(log, deletionDecider, {
    stream: deletionsStream(userId),
    commandId: randomUUID(),
    isNew: true,
    metadata,
    command: (): DeletionCommand => ({
      type: 'ReleaseDeletion',
      userId,
      artifactId,
      deletionId,
      countedAt,
      at: metadata.at,
    }),
  });
  released(state);
  return null;
}

async function deleteCommand(artifactId: number, ports: DeletionPorts): Promise<ArtifactCommand> {
  const isArchived = ports.definitions.platform().archiveDeletedArtifacts;
  if (!isArchived) return { type: 'DeleteArtifact' };
  return { type: 'DeleteArtifact', toArchive: await linkedFrom(artifactId, ports) };
}

const PAGE = 1000;

/** The links that lead to the artifact by now: later changes could remove them without a trace. */
async function linkedFrom(artifactId: number, { log, readModels }: DeletionPorts): Promise<ToArchive> {
  await refuseWhileBehind({ log, readModels });
  const links: Link[] = [];
  let sources = 0;
  for (let last = 0, full = true; full && links.length <= MAX_ARCHIVED_LINKS;) {
    const where: readonly Criterion[] = [{ type: 'any-of', key: LINKS_KEY, values: [artifactId] }];
    const query: Query = { where, direction: 'asc', ...(last > 0 && behind(last)), limit: PAGE, offset: 0 };
    // The caller may not see every source. A marked one counts as last known.
    const { items, rest, total } = await readModels.findSlice(artifactViews, query, () => false);
    if (last === 0) sources = total;
    links.push(...items.flatMap((source) => leadingTo(artifactId, source)));
    for await (const found of slicesOf(readModels, artifactViews, rest, () => false)) {
      links.push(...found.flatMap((source) => leadingTo(artifactId, source)));
    }
    const ids = [...items.map(({ id }) => id), ...rest];
    full = ids.length === PAGE;
    last = ids.at(-1) ?? last;
  }
  if (links.length <= MAX_ARCHIVED_LINKS) return { linkedFrom: links };
  return { linkedFrom: links.slice(0, MAX_ARCHIVED_LINKS), linkedFromTotal: sources };
}

const behind = (id: number): Pick<Query, 'after'> => ({ after: { id, values: [] } });

async function refuseWhileBehind({ log, readModels }: Pick<DeletionPorts, 'log' | 'readModels'>): Promise<void> {
  const end = await log.end();
  if (end === null || (await readModels.caughtUp(ARTIFACTS, end))) return;
  throw new Problem('unavailable', 'The links to the artifact cannot be archived yet; retry later', { retryAfter: 1 });
}

const leadingTo = (artifactId: number, { id: source, values }: ArtifactView): readonly Link[] =>
  Object.values(values)
    .flatMap(linksOf)
    .flatMap(({ id, type }) => (id === artifactId ? [{ id: source, type }] : []));

/** What cannot be archived now is found again by the recovery: a full disk is no reason to say that nothing was deleted. */
export async function archiveQuietly(artifactId: number, { archive, logger }: DeletionPorts): Promise<void> {
  try {
    await archive(artifactId);
  } catch (error) {
    logger.error({ err: error, artifactId }, 'deleted artifact not archived yet');
  }
}
