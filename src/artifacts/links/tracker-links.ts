/** What the links say of a tracker as a whole: which types are in use in it, and which artifacts are parents in it. */
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { slicesOf, type Criterion, type StartKey } from '../../core/read-models.js';
import { CHILD_LINK, linkTypesOf } from '../../platform/link-types.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { minimalTracker } from '../../trackers/representation.js';
import { visibleTrackers } from '../search/artifacts-across.js';
import { artifactViews, fieldKey, type ArtifactView } from '../artifact-view.js';
import { meaning, names } from '../representation/artifact-representation.js';
import { inSlices, type Texts } from '../representation/in-slices.js';
import { type Reading } from '../representation/reading.js';

/** The types of the links from artifacts of the tracker, as far as the viewer sees both ends and may read the field. */
export async function usedLinkTypes(tracker: CompiledTracker, reading: Reading): Promise<readonly object[]> {
  const used: object[] = [];
  for (const { shortname, forwardLabel } of linkTypesOf(reading.definitions.platform())) {
    if (await isUsed(shortname, tracker, reading)) used.push({ shortname, forward_label: forwardLabel });
  }
  return used;
}

async function isUsed(type: string, tracker: CompiledTracker, reading: Reading): Promise<boolean> {
  for await (const sources of sourcesWith(type, tracker, reading)) {
    const ends = await visibleEnds(type, sources, reading);
    if (ends.length > 0) return true;
  }
  return false;
}

/** The ids of open artifacts with a child in the tracker, the last ones first. The viewer must see both. */
export async function parentIds(tracker: CompiledTracker, reading: Reading): Promise<readonly number[]> {
  const parents = new Set<number>();
  for (const other of visibleTrackers(reading)) {
    for await (const sources of sourcesWith(CHILD_LINK, other, reading)) {
      const open = sources.filter((source) => meaning(source, other, reading).is_open);
      for (const id of await idsOfParents(open, tracker, reading)) parents.add(id);
    }
  }
  return [...parents].sort((a, b) => b - a);
}

async function idsOfParents(
  sources: readonly ArtifactView[],
  tracker: CompiledTracker,
  reading: Reading,
): Promise<readonly number[]> {
  const ends = await visibleEnds(CHILD_LINK, sources, reading);
  const children = new Set(ends.flatMap(({ id, trackerId }) => (trackerId === tracker.id ? [id] : [])));
  const isParent = (source: ArtifactView) => endsOf(CHILD_LINK, source, reading).some((id) => children.has(id));
  return sources.filter(isParent).map(({ id }) => id);
}

const PAGE = 1000;

/** The visible artifacts of a tracker that have links of a type, in slices; some twice if they have several fields of links. */
async function* sourcesWith(
  type: string,
  tracker: CompiledTracker,
  { readModels, viewer, gone }: Reading,
): AsyncGenerator<readonly ArtifactView[], void, void> {
  for (const { id: field } of viewer.readable(tracker).ofType('art_link')) {
    const where: readonly Criterion[] = [{ type: 'any-of', key: fieldKey(tracker.id, field), values: [type] }];
    let after: { readonly after?: StartKey } = {};
    for (let full = true; full;) {
      const ids = await readModels.findIds(artifactViews, {
        where,
        direction: 'asc',
        limit: PAGE,
        offset: 0,
        ...after,
      });
      for await (const found of slicesOf(readModels, artifactViews, ids, viewer.canSeeArtifact, gone)) {
        yield found.filter(viewer.canSeeArtifact);
        await othersTurn();
      }
      full = ids.length === PAGE;
      after = { after: { values: [], id: ids.at(-1) ?? 0 } };
    }
  }
}

const endsOf = (type: string, source: ArtifactView, { viewer }: Reading): readonly number[] =>
  viewer.linksOf(source).flatMap((link) => (link.type === type ? [link.id] : []));

/** Without their contents. */
async function visibleEnds(type: string, sources: readonly ArtifactView[], reading: Reading) {
  const { readModels, viewer, gone } = reading;
  const ids = [...new Set(sources.flatMap((source) => endsOf(type, source, reading)))];
  const seen: Pick<ArtifactView, 'id' | 'trackerId'>[] = [];
  for await (const found of slicesOf(readModels, artifactViews, ids, viewer.canSeeArtifact, gone)) {
    seen.push(...found.filter(viewer.canSeeArtifact).map(({ id, trackerId }) => ({ id, trackerId })));
  }
  return seen;
}

export const parentJson = (reading: Reading) =>
  async function* (artifacts: readonly ArtifactView[]): Texts {
    for await (const some of inSlices(artifacts, () => 0)) {
      yield some.flatMap((artifact) => {
        const tracker = reading.definitions.tracker(artifact.trackerId);
        return tracker === undefined ? [] : [JSON.stringify(parentRepresentation(artifact, tracker, reading))];
      });
    }
  };

function parentRepresentation(artifact: ArtifactView, tracker: CompiledTracker, reading: Reading): object {
  const { title, full_status } = meaning(artifact, tracker, reading);
  return { ...names(artifact, tracker), title, tracker: minimalTracker(tracker, reading.definitions), full_status };
}
