/** The artifacts that a query finds, as far as it is known what the query means. */
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { plainQuery, type Criterion, type Document, type PlainQuery, type ReadModel } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { artifactViews } from '../artifact-view.js';
import { visibleArtifacts } from '../filter/visibility.js';
import { type Reading } from '../representation/reading.js';
import { trackerCounts } from '../tracker-count-view.js';

/** Are asked for at a time. */
const AT_A_TIME = 500;

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

/** The ids of all documents that match, by id. */
export async function* pagesOfIds<Id extends Document['id']>(
  model: ReadModel<Document & { readonly id: Id }>,
  where: readonly Criterion[],
  { readModels, gone }: Pick<Reading, 'readModels' | 'gone'>,
): AsyncGenerator<readonly Id[]> {
  const query: PlainQuery = { where, direction: 'asc', limit: AT_A_TIME, offset: 0 };
  for (let last: Id | undefined; ;) {
    gone?.throwIfAborted();
    const after = last === undefined ? {} : { after: { values: [], id: last } };
    const page = await readModels.findIds(model, { ...query, ...after });
    if (page.length > 0) yield page;
    if (page.length < AT_A_TIME) return;
    last = page.at(-1);
    await othersTurn();
  }
}
