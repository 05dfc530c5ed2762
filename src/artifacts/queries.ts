/** What the GET routes of artifacts answer, apart from HTTP. */
import { type EventReader } from '../core/event-log.js';
import { jsonInTurns } from '../core/concurrency/json-in-turns.js';
import { othersTurn } from '../core/concurrency/others-turn.js';
import { Problem } from '../core/problem.js';
import { type PageSlice, type Query } from '../core/read-models.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { artifactViews, inTracker, type ArtifactView } from './artifact-view.js';
import {
  changesetRepresentation,
  changesetSlices,
  hasComment,
  visibleChangesets,
  type Changeset,
} from './history/changesets.js';
import { pageOf, type PageOfEvents } from './history/page.js';
import { artifactFilter } from './filter/filter.js';
import { visibleArtifacts } from './filter/visibility.js';
import { inSlices, sizeShown, type Texts } from './representation/in-slices.js';
import { readableTracker } from './authorize.js';
import { relatedTo, type Reading, type Representing } from './representation/load-related.js';
import { renderedTexts } from './representation/rendered-texts.js';
import { artifactRepresentation, type Shape } from './representation/artifact-representation.js';

/** Throws when it does not exist or may not be seen. */
export async function visibleArtifact(
  id: number,
  { readModels, definitions, viewer }: Reading,
): Promise<{ readonly artifact: ArtifactView; readonly tracker: CompiledTracker }> {
  const artifact = await readModels.get(artifactViews, id, viewer.canSeeArtifact);
  if (artifact === null) throw new Problem('not-found', 'No such artifact');
  return { artifact, tracker: readableTracker(artifact, definitions, viewer) };
}

/** One JSON text for each, in the order given. What they are linked with is loaded only where the shape shows it. */
export async function* represented(artifacts: readonly ArtifactView[], reading: Representing, shape: Shape): Texts {
  const withValues = shape.values !== 'none';
  const present = await relatedTo(withValues ? artifacts : [], reading);
  const related = shape.past === true ? { ...present, reverseLinks: () => [] } : present;
  const sizeOf = sizeShown(related, reading);
  for await (const some of inSlices(artifacts, sizeOf)) {
    const htmlOf = await renderedTexts(withValues ? some : [], reading);
    const texts: string[] = [];
    for (const artifact of some) {
      const tracker = reading.definitions.tracker(artifact.trackerId);
      if (tracker === undefined) continue;
      const shown = artifactRepresentation(artifact, tracker, { ...reading, related, htmlOf }, shape);
      texts.push(await jsonInTurns(shown, sizeOf(artifact)));
    }
    yield texts;
  }
}

/** With all that an artifact has. */
export const wholeJson =
  (reading: Representing) =>
  (artifacts: readonly ArtifactView[]): Texts =>
    represented(artifacts, reading, { values: 'all' });

export interface ArtifactSearch extends Omit<Query, 'where' | 'given' | 'scope'> {
  /** JSON as the client sent it. */
  readonly filter: unknown;
}

/** What the viewer may not see is no part of the question, so pages are full and totals exact. */
export function artifactsOf(
  tracker: CompiledTracker,
  { filter, ...page }: ArtifactSearch,
  { readModels, definitions, viewer }: Reading,
): Promise<PageSlice<ArtifactView>> {
  const project = definitions.project(tracker.view.projectId);
  if (project === undefined) return Promise.resolve({ items: [], rest: [], total: 0 });
  const asked = artifactFilter(tracker, { viewer, definitions }, filter);
  const scope = inTracker(tracker.id);
  const query = { ...visibleArtifacts(asked, tracker, project, viewer), scope, ...page };
  return readModels.findSlice(artifactViews, query, viewer.canSeeArtifact);
}

export interface ChangesetSearch extends PageOfEvents {
  readonly fields: 'all' | 'comments';
}

export async function changesetPage(
  id: number,
  { fields, ...search }: ChangesetSearch,
  reading: Representing & { readonly log: EventReader },
): Promise<{ readonly texts: Texts; readonly total: number }> {
  const { artifact, tracker } = await visibleArtifact(id, reading);
  const page = pageOf<Changeset>(search);
  await othersTurn();
  for await (const changesets of changesetSlices(artifact, reading.log)) {
    // Each of them may be as large as an artifact.
    await othersTurn();
    const asked = changesets.filter((changeset) => fields === 'all' || hasComment(changeset));
    for (const visible of await visibleChangesets(asked, tracker, reading)) page.add(visible);
  }
  return { texts: changesetTexts(page.items(), tracker, reading, fields === 'all'), total: page.total() };
}

/** Each holds the whole artifact: some are shown at a time, of a large artifact one. */
async function* changesetTexts(
  page: readonly Changeset[],
  tracker: CompiledTracker,
  reading: Representing,
  withValues: boolean,
): Texts {
  const shownOf = (changesets: readonly Changeset[]) => (withValues ? changesets.map(({ artifact }) => artifact) : []);
  const related = await relatedTo(shownOf(page), reading);
  const sizeOfArtifact = sizeShown(related, reading);
  const sizeOf = ({ artifact }: Changeset): number => (withValues ? sizeOfArtifact(artifact) : 0);
  for await (const changesets of inSlices(page, sizeOf)) {
    const shown = shownOf(changesets);
    const comments = changesets.map(({ comment }) => comment);
    const context = { ...reading, related, htmlOf: await renderedTexts(shown, reading, comments) };
    const texts: string[] = [];
    for (const each of changesets) {
      texts.push(await jsonInTurns(changesetRepresentation(each, tracker, context, withValues), sizeOf(each)));
    }
    yield texts;
  }
}
