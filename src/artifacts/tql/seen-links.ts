/** Links whose two ends a reader may see, and which the reader may read. */
import { type Viewer } from '../../authorization/viewer.js';
import { type End } from '../../core/concurrency/concurrency-limit.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { beginHierarchy } from '../../core/logs/long-readings.js';
import { artifactViews, type ArtifactView } from '../artifact-view.js';
import { endOf, linksTowards, visibleEnds, type LinkEnd } from '../representation/load-related.js';
import { type Reading } from '../representation/reading.js';

export interface SeenLink {
  readonly type: string;
  readonly source: LinkEnd;
  readonly target: LinkEnd;
}

/** Those that count. */
type LinksOf = (source: ArtifactView) => ReturnType<Viewer['linksOf']>;

/** Those of a slice that a request holds without a turn. */
const FEW_LINKS = 1000;

/**
 * The sources are visible. Who meets a slice with many links lets go of it, takes a turn, and keeps that until the end. The
 * caller waits for nothing else between two slices.
 */
export async function* linksFrom(
  sources: readonly number[],
  reading: Reading,
  linksOf: LinksOf = (source) => reading.viewer.linksOf(source),
): AsyncGenerator<readonly SeenLink[], void, void> {
  const { gone } = reading;
  const known: Ends = new Map();
  let end: End | undefined;
  try {
    for (let left = sources; left.length > 0;) {
      gone?.throwIfAborted();
      const held = end === undefined ? { most: FEW_LINKS, known: new Map() } : { most: Infinity, known };
      const slice = await linksOfFirst(left, linksOf, held, reading);
      if (slice === null) {
        end = await beginHierarchy(gone);
        continue;
      }
      yield slice.links;
      left = slice.rest;
      if (left.length > 0) await othersTurn();
    }
  } finally {
    end?.();
  }
}

/** Undefined: the reader may not see it. */
type Ends = Map<number, LinkEnd | undefined>;

/** Of the first slice of the sources. Null if it has more links. What is read of their targets is added to the known ones. */
async function linksOfFirst(
  sources: readonly number[],
  linksOf: LinksOf,
  { most, known }: { readonly most: number; readonly known: Ends },
  reading: Reading,
): Promise<{ readonly links: readonly SeenLink[]; readonly rest: readonly number[] } | null> {
  const { readModels, viewer } = reading;
  const { items, rest } = await readModels.getSlice(artifactViews, sources, viewer.canSeeArtifact);
  const links = items
    .filter(viewer.canSeeArtifact)
    .flatMap((source) => linksOf(source).map((link) => ({ source: endOf(source), ...link })));
  if (links.length > most) return null;
  const unknown = links.flatMap(({ id }) => (known.has(id) ? [] : [id]));
  const targets = await visibleEnds(unknown, reading);
  for (const id of unknown) known.set(id, targets.get(id));
  const seen = links.flatMap(({ source, id, type }) => {
    const target = known.get(id);
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
