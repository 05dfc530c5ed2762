/** The artifacts that a query finds, as far as it is known what the query means. */
import { plainQuery, type Criterion } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactViews } from '../artifact-view.js';
import { visibleArtifacts } from '../filter/visibility.js';
import { pagesOfIds } from '../representation/artifact-pages.js';
import { type Reading } from '../representation/reading.js';
import { trackerCounts } from '../tracker-count-view.js';

export interface Asked {
  readonly tracker: CompiledTracker;
  readonly reading: Reading;
}

/** Their ids. What the reader may not see is not among them. */
export async function* candidates(
  asked: readonly Criterion[],
  { tracker, reading }: Asked,
): AsyncGenerator<readonly number[]> {
  const { readModels, definitions, viewer } = reading;
  const project = definitions.project(tracker.view.projectId);
  if (project === undefined) return;
  const { where, given } = visibleArtifacts(asked, tracker, project, viewer);
  const counts = await readModels.get(trackerCounts, tracker.id);
  const { where: visible } = plainQuery({ where, given, direction: 'asc', limit: 0, offset: 0 }, counts);
  yield* pagesOfIds(artifactViews, visible, reading);
}
