/** What the links say of a tracker as a whole: which types are in use in it, and which artifacts are parents in it. */
import { type Criterion } from '../../core/read-models.js';
import { CHILD_LINK, linkTypesOf } from '../../platform/link-types.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { isOpen } from '../../trackers/field-types/status.js';
import { visibleTracker } from '../../trackers/queries.js';
import { minimalTracker } from '../../trackers/representation.js';
import { visibleTrackers } from '../search/artifacts-across.js';
import { artifactViews, fieldKey, type ArtifactView } from '../artifact-view.js';
import { meaning, names } from '../representation/artifact-representation.js';
import { textsInSlices, type Texts } from '../representation/in-slices.js';
import { pagesOfIds } from '../representation/artifact-pages.js';
import { type Reading, type Representing } from '../representation/reading.js';
import { plainTitles } from '../representation/rendered-texts.js';
import { linksFrom, type SeenLink } from '../tql/seen-links.js';

/**
 * The types of the links from artifacts of the tracker, as far as the viewer sees both ends and may read the field. The
 * tracker is judged last.
 */
export async function usedLinkTypes(tracker: CompiledTracker, reading: Reading): Promise<readonly object[]> {
  const used: object[] = [];
  for (const { shortname, forwardLabel } of linkTypesOf(reading.definitions.platform())) {
    if (await isUsed(shortname, tracker, reading)) used.push({ shortname, forward_label: forwardLabel });
  }
  visibleTracker(reading.definitions, reading.viewer, tracker.id);
  return used;
}

async function isUsed(type: string, tracker: CompiledTracker, reading: Reading): Promise<boolean> {
  for await (const links of linksOfType(type, tracker, reading)) if (links.length > 0) return true;
  return false;
}

/**
 * The ids of open artifacts with a child in the tracker, the last ones first. The viewer must see both. The tracker is
 * judged last.
 */
export async function parentIds(tracker: CompiledTracker, reading: Reading): Promise<readonly number[]> {
  const parents = new Set<number>();
  for (const other of visibleTrackers(reading)) {
    const { status } = reading.viewer.readable(other).view.semantics;
    const isMeant = ({ values }: ArtifactView) => isOpen(status, values);
    for await (const links of linksOfType(CHILD_LINK, other, reading, isMeant)) {
      for (const { source } of links.filter(({ target }) => target.trackerId === tracker.id)) parents.add(source.id);
    }
  }
  visibleTracker(reading.definitions, reading.viewer, tracker.id);
  return [...parents].sort((a, b) => b - a);
}

/** The links of a type from artifacts of a tracker, in slices; some twice if a source has several fields of links. */
async function* linksOfType(
  type: string,
  tracker: CompiledTracker,
  reading: Reading,
  isMeant: (source: ArtifactView) => boolean = () => true,
): AsyncGenerator<readonly SeenLink[], void, void> {
  const { viewer } = reading;
  const linksOf = (source: ArtifactView) =>
    isMeant(source) ? viewer.linksOf(source).filter((link) => link.type === type) : [];
  for (const { id: field } of viewer.readable(tracker).ofType('art_link')) {
    const where: readonly Criterion[] = [{ type: 'any-of', key: fieldKey(tracker.id, field), values: [type] }];
    for await (const ids of pagesOfIds(artifactViews, where, reading)) yield* linksFrom(ids, reading, linksOf);
  }
}

export const parentJson =
  (reading: Representing) =>
  (artifacts: readonly ArtifactView[]): Texts =>
    textsInSlices(artifacts, { sizeOf: () => 0, gone: reading.gone }, async (some) => {
      const plainOf = await plainTitles(some, reading);
      return some.flatMap((artifact) => {
        const tracker = reading.definitions.tracker(artifact.trackerId);
        if (tracker === undefined) return [];
        return [JSON.stringify(parentRepresentation(artifact, tracker, { ...reading, plainOf }))];
      });
    });

function parentRepresentation(
  artifact: ArtifactView,
  tracker: CompiledTracker,
  reading: Parameters<typeof meaning>[2],
): object {
  const { title, full_status } = meaning(artifact, tracker, reading);
  return { ...names(artifact, tracker), title, tracker: minimalTracker(tracker, reading.definitions), full_status };
}
