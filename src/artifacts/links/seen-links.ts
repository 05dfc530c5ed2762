/** Links whose two ends a reader may see, and which the reader may read. */
import { type Viewer } from '../../authorization/viewer.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { beginHierarchy } from '../../core/logs/long-readings.js';
import { artifactViews } from '../artifact-view.js';
import { endOf, linksTowards, visibleEnds, type LinkEnd } from '../representation/load-related.js';
import { type Reading } from '../representation/reading.js';

export interface SeenLink {
  readonly type: string;
  readonly source: LinkEnd;
  readonly target: LinkEnd;
}

/** A request holds so many links without a turn. */
const FEW_LINKS = 1000;

/**
 * The sources are visible. `linksOf`: those of a source that count. Who meets many in a slice lets go of them, takes a turn for this
 * slice and each further one, and comes after all who wait.
 */
export async function* linksFrom(
  sources: readonly number[],
  reading: Reading,
  linksOf: Viewer['linksOf'] = reading.viewer.linksOf,
): AsyncGenerator<readonly SeenLink[], void, void> {
  const { gone } = reading;
  for (let [left, most] = [sources, FEW_LINKS]; left.length > 0;) {
    gone?.throwIfAborted();
    const end = most === FEW_LINKS ? undefined : await beginHierarchy(gone);
    const slice = await linksOfFirst(left, reading, { linksOf, most }).finally(end);
    if (slice === null) {
      most = Infinity;
      continue;
    }
    yield slice.links;
    left = slice.rest;
    if (left.length > 0) await othersTurn();
  }
}

/** Of the first slice of the sources. Null if they have more links. */
async function linksOfFirst(
  sources: readonly number[],
  reading: Reading,
  { linksOf, most }: { readonly linksOf: Viewer['linksOf']; readonly most: number },
): Promise<{ readonly links: readonly SeenLink[]; readonly rest: readonly number[] } | null> {
  const { readModels, viewer } = reading;
  const { items, rest } = await readModels.getSlice(artifactViews, sources, viewer.canSeeArtifact);
  const links = items
    .filter(viewer.canSeeArtifact)
    .flatMap((source) => linksOf(source).map((link) => ({ source: endOf(source), ...link })));
  if (links.length > most) return null;
  const ids = links.map(({ id }) => id);
  const targets = await visibleEnds(ids, reading);
  const seen = links.flatMap(({ source, id, type }) => {
    const target = targets.get(id);
    return target === undefined ? [] : [{ type, source, target }];
  });
  return { links: seen, rest };
}

/** The targets are visible. No more links are read to those that are not wanted any longer. */
export async function* linksTo(
  targets: readonly LinkEnd[],
  reading: Reading,
  isWanted: (target: number) => boolean,
): AsyncGenerator<readonly SeenLink[]> {
  const byId = new Map(targets.map((target) => [target.id, target]));
  for await (const page of linksTowards(() => [...byId.keys()].filter(isWanted), reading)) {
    yield page.flatMap(({ target: id, link: { type, source } }) => {
      const target = byId.get(id);
      return target === undefined ? [] : [{ type, source: endOf(source), target }];
    });
  }
}
