/** What the GET routes of artifacts answer, apart from HTTP. */
import { heapSize, textSize } from '../core/bounds.js';
import { type EventReader } from '../core/event-log.js';
import { jsonInTurns, takesTurns } from '../core/concurrency/json-in-turns.js';
import { othersTurn } from '../core/concurrency/others-turn.js';
import { Problem } from '../core/problem.js';
import {
  type Criterion,
  type OrderKey,
  type PageSlice,
  type Query,
  type Slice,
  type StartKey,
} from '../core/read-models.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { artifactViews, inTracker, type ArtifactDocument, type ArtifactView } from './artifact-view.js';
import { changesetRepresentation, changesetSlices, hasComment, visibleChangesets } from './history/changesets.js';
import { changesetGroups, type Place, type ShownChangeset } from './history/changeset-groups.js';
import { endsKnownTo } from './history/known-ends.js';
import { pageOf, type PageOfEvents } from './history/page.js';
import { artifactFilter } from './filter/filter.js';
import { artifactOrder, placeIn, startKeyOf } from './filter/order.js';
import { sinceCriteria } from './filter/since.js';
import { visibleArtifacts } from './filter/visibility.js';
import { PageChanged } from './representation/artifact-pages.js';
import { expertCriteria } from './tql/tql.js';
import { sizeOfText, sizeShown, textsInSlices, type Texts } from './representation/in-slices.js';
import { readableTracker } from './authorize.js';
import { relatedTo } from './representation/load-related.js';
import { type Reading, type Representing } from './representation/reading.js';
import { renderedTexts } from './representation/rendered-texts.js';
import { type Since } from './schemas.js';

/** Throws when it does not exist or may not be seen. */
export async function visibleArtifact(
  id: number,
  { readModels, definitions, viewer }: Reading,
): Promise<{ readonly artifact: ArtifactView; readonly tracker: CompiledTracker }> {
  const artifact = await readModels.get(artifactViews, id, viewer.canSeeArtifact);
  if (artifact === null) throw new Problem('not-found', 'No such artifact');
  return { artifact, tracker: readableTracker(artifact, definitions, viewer) };
}

export interface ArtifactSearch extends Omit<Query, 'where' | 'given' | 'scope' | 'order'> {
  /** JSON as the client sent it; or TQL, with the time that its NOW() is. */
  readonly filter?: unknown;
  readonly expert?: { readonly text: string; readonly now: Date } | undefined;
  /** Fields as the client named them. */
  readonly sort?: string;
  readonly since: Since;
}

export interface ArtifactPage extends PageSlice<ArtifactView> {
  /** Where its last artifact stands, if more follow. */
  readonly last: StartKey | null;
}

/** What the viewer may not see is no part of the question, so pages are full and totals exact. Throws PageChanged once it might be. */
export async function artifactsOf(
  tracker: CompiledTracker,
  { filter, expert, sort = '', since, ...page }: ArtifactSearch,
  reading: Reading,
): Promise<ArtifactPage> {
  const { readModels, definitions, viewer } = reading;
  const project = definitions.project(tracker.view.projectId);
  if (project === undefined) throw new PageChanged();
  const isUnchanged = whetherUnchanged(tracker, reading);
  const asked = [...sinceCriteria(tracker.id, since), ...(await filtered(tracker, { filter, expert }, reading))];
  const scope = inTracker(tracker.id);
  const order = artifactOrder(viewer.readable(tracker), sort);
  const begun = page.after === undefined ? page : { ...page, offset: 0, after: placeIn(order, page.after) };
  // One more, which shows whether there is a next page.
  const limit = page.limit === 0 ? 0 : page.limit + 1;
  const query = { ...visibleArtifacts(asked, tracker, project, viewer), scope, order, ...begun, limit };
  const found = await readModels.findSlice(artifactViews, query, viewer.canSeeArtifact);
  if (!isUnchanged()) throw new PageChanged();
  const isEnd = limit === 0 || found.items.length + found.rest.length < limit;
  if (isEnd) return { ...found, last: null };
  const items = found.items.slice(0, page.limit);
  const rest = found.rest.slice(0, -1);
  return { items, rest, total: found.total, last: lastPlace({ items, rest }, found.beforeLast, order) };
}

async function filtered(
  tracker: CompiledTracker,
  { filter, expert }: Pick<ArtifactSearch, 'filter' | 'expert'>,
  reading: Reading,
): Promise<readonly Criterion[]> {
  return expert === undefined ? artifactFilter(tracker, reading, filter) : expertCriteria(tracker, reading, expert);
}

/** Whether the tracker and what the viewer may do there are as they were. Other changes of the project count for nothing. */
function whetherUnchanged(tracker: CompiledTracker, { definitions, viewer }: Reading): () => boolean {
  const rights = (): string | undefined => {
    const project = definitions.project(tracker.view.projectId);
    return project && `${viewer.isTrackerAdmin(tracker)} ${[...viewer.groupsIn(project)].sort().join(' ')}`;
  };
  const before = rights();
  return () => definitions.tracker(tracker.id) === tracker && viewer.canSeeTracker(tracker) && rights() === before;
}

/** Where the last artifact of the page stood when the page was found. Without an order, an id is a place. */
function lastPlace(
  { items, rest }: Slice<ArtifactDocument>,
  last: ArtifactDocument | undefined,
  order: readonly OrderKey[],
): StartKey {
  const id = rest.at(-1) ?? items.at(-1)?.id;
  if (id !== undefined && order.length === 0) return { id, values: [] };
  if (last === undefined) throw new PageChanged();
  return startKeyOf(last, order);
}

export interface ChangesetSearch extends PageOfEvents {
  readonly fields: 'all' | 'comments';
}

export async function changesetPage(
  id: number,
  { fields, ...search }: ChangesetSearch,
  reading: Representing & { readonly log: EventReader },
): Promise<{ readonly texts: Texts; readonly total: number }> {
  const { of, tracker } = await changed(id, reading);
  const withValues = fields === 'all';
  // Of large artifacts, all changesets are more than memory holds.
  const visible: Place[] = [];
  let written = 0;
  const seeing = { ...reading, knownEnds: endsKnownTo(reading) };
  await othersTurn();
  for await (const changesets of changesetSlices(of, reading)) {
    // Each of them may be as large as an artifact.
    await othersTurn();
    const asked = changesets.filter((changeset) => withValues || hasComment(changeset));
    const shown = await visibleChangesets(asked, reading.definitions.tracker(tracker.id) ?? tracker, seeing);
    for (const changeset of changesets) {
      // Also what the reader may not see is held with the next one.
      if (withValues) written += heapSize(changeset.written);
      if (!shown.includes(changeset)) continue;
      visible.push({ revision: changeset.artifact.revision, size: textSize(changeset.comment.text) + written });
      written = 0;
    }
  }
  // Judged after it was read, which may have to wait for long.
  await changed(id, reading);
  const groups = changesetGroups({ places: pageOf(visible, search), withValues }, of, { ...reading, follows: true });
  return { texts: changesetTexts(id, groups, reading, withValues), total: visible.length };
}

/** Without its contents, which many requests would hold while they wait. */
async function changed(id: number, reading: Reading) {
  const { artifact, tracker } = await visibleArtifact(id, reading);
  return { of: { id: artifact.id, atid: artifact.atid }, tracker };
}

async function* changesetTexts(
  id: number,
  groups: AsyncIterable<readonly ShownChangeset[]>,
  ...shown: [reading: Representing, withValues: boolean]
): Texts {
  for await (const group of groups) yield* groupTexts(id, group, ...shown);
}

/** Each holds the whole artifact: some are shown at a time, of a large artifact one. */
async function* groupTexts(
  id: number,
  page: readonly ShownChangeset[],
  reading: Representing,
  withValues: boolean,
): Texts {
  const shownOf = (changesets: readonly ShownChangeset[]) =>
    withValues ? changesets.map(({ artifact }) => artifact) : [];
  const related = await relatedTo(shownOf(page), reading, { past: true });
  const sizeOfArtifact = sizeShown(related, reading);
  const sizeOf = ({ artifact, comment }: ShownChangeset): number =>
    sizeOfText(comment.text) + (withValues ? sizeOfArtifact(artifact) : 0);
  yield* textsInSlices(page, { sizeOf, gone: reading.gone }, async (changesets) => {
    const comments = changesets.map(({ comment }) => comment);
    const htmlOf = await renderedTexts(shownOf(changesets), reading, comments);
    // Judged after what it had to wait for.
    const { tracker } = await changed(id, reading);
    const texts: string[] = [];
    for (const each of changesets) {
      const size = sizeOf(each);
      const context = { ...reading, related, htmlOf, isLarge: takesTurns(size) };
      texts.push(await jsonInTurns(changesetRepresentation(each, tracker, context, withValues), size, reading.gone));
    }
    return texts;
  });
}
