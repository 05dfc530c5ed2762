/** Links whose two ends a reader may see, and which the reader may read. */
import { slicesOf } from '../../core/read-models.js';
import { artifactViews } from '../artifact-view.js';
import { endOf, linksTowards, visibleEnds, type LinkEnd } from '../representation/load-related.js';
import { type Reading } from '../representation/reading.js';

export interface SeenLink {
  readonly type: string;
  readonly source: LinkEnd;
  readonly target: LinkEnd;
}

/** The sources are visible. */
export async function* linksFrom(sources: readonly number[], reading: Reading): AsyncGenerator<readonly SeenLink[]> {
  const { readModels, viewer, gone } = reading;
  for await (const found of slicesOf(readModels, artifactViews, sources, viewer.canSeeArtifact, gone)) {
    const links = found
      .filter(viewer.canSeeArtifact)
      .flatMap((source) => viewer.linksOf(source).map((link) => ({ source: endOf(source), ...link })));
    const targets = await visibleEnds(
      links.map(({ id }) => id),
      reading,
    );
    yield links.flatMap(({ source, id, type }) => {
      const target = targets.get(id);
      return target === undefined ? [] : [{ type, source, target }];
    });
  }
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
