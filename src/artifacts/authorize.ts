/** Whether a caller gets at a tracker or an artifact at all, and may write there: before anything else is looked at. */
import { UnsupportedEvent } from '../core/event-log.js';
import { Problem } from '../core/problem.js';
import { type ReadModels } from '../core/read-models.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { submissionFault, suspension } from '../trackers/submission.js';
import { artifactViews, deletedArtifactViews, type ArtifactView } from './artifact-view.js';
import { type Precondition } from './ports.js';

type Reached = Pick<ArtifactView, 'trackerId' | 'values'>;

interface Seeing {
  readonly readModels: Pick<ReadModels, 'get' | 'getMany'>;
  readonly viewer: Viewer;
}

/** Does work that reads an artifact's stream. One that cannot be read is not told of to who may not see the artifact. */
export async function withStream<T>(
  artifactId: number,
  { readModels, definitions, viewer }: Seeing & { readonly definitions: Definitions },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnsupportedEvent)) throw error;
    const known = await readModels.get(artifactViews, artifactId, () => false);
    if (known !== null) readableTracker(known, definitions, viewer);
    throw error;
  }
}

interface Known {
  /** As it stands, or stood when it was deleted. */
  readonly artifact: ArtifactView;
  readonly isDeleted: boolean;
}

/** Whether the viewer may see an artifact or its history is still to be asked. Null for one that there never was. */
export async function knownArtifact(id: number, { readModels, viewer }: Seeing): Promise<Known | null> {
  const present = await readModels.get(artifactViews, id, viewer.canSeeArtifact);
  if (present !== null) return { artifact: present, isDeleted: false };
  const deleted = await readModels.get(deletedArtifactViews, id, viewer.canAudit);
  return deleted && { artifact: deleted, isDeleted: true };
}

/** The tracker of an artifact that exists; throws when the viewer may not see the artifact. */
export function readableTracker(artifact: Reached, definitions: Definitions, viewer: Viewer): CompiledTracker {
  const tracker = definitions.tracker(artifact.trackerId);
  if (tracker === undefined || tracker.view.deleted) throw new Problem('not-found', 'No such artifact');
  if (!viewer.canSeeArtifact(artifact)) throw new Problem('forbidden', 'You may not see this artifact');
  return tracker;
}

export function updatableTracker(artifact: Reached, definitions: Definitions, viewer: Viewer): CompiledTracker {
  const tracker = readableTracker(artifact, definitions, viewer);
  refuse(suspension(tracker, definitions));
  if (!viewer.canUpdate(tracker)) throw new Problem('forbidden', 'You may not update artifacts of this tracker');
  return tracker;
}

export function deletableTracker(artifact: Reached, definitions: Definitions, viewer: Viewer): CompiledTracker {
  const tracker = readableTracker(artifact, definitions, viewer);
  refuse(suspension(tracker, definitions));
  if (!viewer.isTrackerAdmin(tracker)) {
    throw new Problem('forbidden', 'Only administrators of the tracker may delete its artifacts');
  }
  return tracker;
}

/** A tracker that a body names. Throws the same for one that the viewer may not see as for none. */
export function namedTracker(id: number, definitions: Definitions, viewer: Viewer): CompiledTracker {
  const tracker = definitions.tracker(id);
  if (tracker === undefined || !viewer.knowsTracker(tracker)) throw new Problem('not-found', 'No such tracker');
  return tracker;
}

/** The tracker that a new artifact shall be in. */
export function submittableTracker(id: number, definitions: Definitions, viewer: Viewer): CompiledTracker {
  const tracker = namedTracker(id, definitions, viewer);
  refuse(submissionFault(tracker, definitions, viewer));
  return tracker;
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new Problem('forbidden', fault);
}

export function refuseStale(current: Parameters<Precondition>[0], precondition: Precondition): void {
  if (precondition(current)) return;
  throw new Problem(
    'stale',
    'The artifact has changed, or another condition of the headers is false; read it again and repeat the request',
  );
}
