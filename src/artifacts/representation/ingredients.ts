/** What the answer about one artifact, or a page of a tracker's, is made of, apart from its reader. */
import { type ReadModels } from '../../core/read-models.js';
import { fileViews } from '../../files/file-view.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactTrackerViews, artifactViews, type ArtifactView } from '../artifact-view.js';
import { filesOf } from './described-files.js';
import { type Reading } from './reading.js';

/** Whether an answer would be the same if it was made anew. */
export type StillHolds = () => Promise<boolean>;

export interface Lasting {
  readonly stillHolds?: StillHolds;
  /** In characters, about: what is held in memory for it. */
  readonly groundsSize?: number;
}

/** Of links and files each. To look at more takes about as long as to make the answer. */
const MOST_LOOKED_AT = 100;

/** Sums depend on more than links and files. */
export function isRememberable(tracker: CompiledTracker): boolean {
  return tracker.ofType('computed').length === 0;
}

/** For an answer during the making of which nothing changes. Nothing where it cannot be told, or is not worth it. */
export async function lastingFor(
  artifact: ArtifactView,
  { readModels, definitions, viewer }: Reading,
): Promise<Lasting> {
  const tracker = definitions.tracker(artifact.trackerId);
  if (tracker === undefined || !isRememberable(tracker)) return {};
  const parts = {
    id: artifact.id,
    targets: viewer.linksOf(artifact).map(({ id }) => id),
    files: filesOf(artifact, { definitions, viewer }),
    hasSources: viewer.readable(tracker).ofType('art_link').length > 0,
  };
  const ids = parts.targets.length + parts.files.length;
  return lastingWhile(() => stampOf(parts, readModels), definitions, ID_SIZE * ids);
}

/** For a page of artifacts of one tracker that shows and asks for nothing else. */
export const lastingInTracker = (
  { view: { id } }: CompiledTracker,
  { readModels, definitions }: Reading,
): Promise<Lasting> => lastingWhile(() => readModels.stamp(artifactTrackerViews, [id]), definitions, 0);

/** `size`: of what `stampNow` holds in memory. */
async function lastingWhile(
  stampNow: () => Promise<string | undefined>,
  definitions: Reading['definitions'],
  size: number,
): Promise<Lasting> {
  const state = async (): Promise<string | undefined> => {
    const { generation } = definitions;
    const stamp = await stampNow();
    return stamp && `${generation} ${stamp}`;
  };
  const made = await state();
  if (made === undefined) return {};
  return { stillHolds: async () => (await state()) === made, groundsSize: made.length + size };
}

const ID_SIZE = 8;

interface Parts {
  readonly id: number;
  readonly targets: readonly number[];
  readonly files: readonly number[];
  readonly hasSources: boolean;
}

/** Undefined for one that takes too long. */
async function stampOf({ id, targets, files, hasSources }: Parts, readModels: ReadModels): Promise<string | undefined> {
  if (Math.max(targets.length, files.length) > MOST_LOOKED_AT) return undefined;
  const artifacts = await readModels.stamp(artifactViews, [id, ...targets], hasSources ? id : undefined);
  const described = files.length > 0 ? await readModels.stamp(fileViews, files) : '';
  return artifacts === undefined || described === undefined ? undefined : `${artifacts}|${described}`;
}
