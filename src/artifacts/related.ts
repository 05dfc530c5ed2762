/** The artifacts that the representation of others needs: link targets, link sources, children of computed fields. */
import { type Criterion, type ReadModels } from '../core/read-models.js';
import { type Viewer } from '../directory/viewer.js';
import { type Directory } from '../directory/directory.js';
import { CHILD_LINK } from '../settings/link-types.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { ID_KEY, LINKS_KEY } from './artifact-entries.js';
import { artifactViews, type ArtifactView } from './artifact-view.js';
import { describedFiles, type DescribeFile } from './described-files.js';
import { type Link } from './field-value.js';
import { linksOf as linksIn } from './fields/canonical.js';

export interface ReverseLink {
  readonly source: ArtifactView;
  readonly type: string;
}

/** Only what the viewer may see. */
export interface Related {
  readonly describeFile: DescribeFile;
  linked(id: number): ArtifactView | undefined;
  reverseLinks(id: number): readonly ReverseLink[];
}

export interface Reading {
  readonly readModels: ReadModels;
  readonly directory: Directory;
  readonly viewer: Viewer;
}

/** Sources are read in pages of this size until there are no more. */
const PAGE = 1000;

export async function relatedTo(artifacts: readonly ArtifactView[], reading: Reading): Promise<Related> {
  const [links, describeFile] = await Promise.all([linksTo(artifacts, reading), describedFiles(artifacts, reading)]);
  return { ...links, describeFile };
}

async function linksTo(artifacts: readonly ArtifactView[], reading: Reading): Promise<Omit<Related, 'describeFile'>> {
  const withLinks = artifacts.filter(({ trackerId }) => has(reading.directory.tracker(trackerId), 'art_link'));
  if (withLinks.length === 0) return { linked: () => undefined, reverseLinks: () => [] };

  const [targets, reverse] = await Promise.all([
    linkedFrom(artifacts, reading),
    sourcesOf(
      withLinks.map(({ id }) => id),
      reading,
    ),
  ]);
  return {
    linked: (id) => targets.get(id),
    reverseLinks: (id) => reverse.get(id) ?? [],
  };
}

/** Link targets, and below artifacts with computed fields their children on every level, since those are summed up. */
async function linkedFrom(
  artifacts: readonly ArtifactView[],
  { readModels, directory, viewer }: Reading,
): Promise<ReadonlyMap<number, ArtifactView>> {
  const known = new Map<number, ArtifactView>();
  const asked = new Set<number>();
  const load = async (ids: readonly number[]): Promise<void> => {
    const unknown = [...new Set(ids)].filter((id) => !asked.has(id));
    for (const id of unknown) asked.add(id);
    const found = await readModels.getMany(artifactViews, unknown);
    for (const artifact of found.filter((candidate) => viewer.canSeeArtifact(candidate)))
      known.set(artifact.id, artifact);
  };
  const summedChildren = (parents: readonly ArtifactView[]): readonly number[] =>
    parents.filter(({ trackerId }) => has(directory.tracker(trackerId), 'computed')).flatMap(childrenOf);

  await load(artifacts.flatMap(linksOf).map(({ id }) => id));
  const expanded = new Set(artifacts.map(({ id }) => id));
  for (let level = summedChildren(artifacts); level.length > 0;) {
    await load(level);
    const parents = level.filter((id) => !expanded.has(id)).flatMap((id) => known.get(id) ?? []);
    for (const { id } of parents) expanded.add(id);
    level = summedChildren(parents);
  }
  return known;
}

/** Who links to these artifacts, by target, as far as the viewer may see them. */
export async function sourcesOf(
  ids: readonly number[],
  { readModels, viewer }: Pick<Reading, 'readModels' | 'viewer'>,
): Promise<ReadonlyMap<number, readonly ReverseLink[]>> {
  const targets = new Map<number, ReverseLink[]>(ids.map((id) => [id, []]));
  const links: Criterion = { type: 'any-of', key: LINKS_KEY, values: [...targets.keys()] };
  for (let last = 0, full = true; full;) {
    // Hardly ever are there more than one page, and a range costs far more than what it leaves out.
    const where: readonly Criterion[] = last === 0 ? [links] : [links, { type: 'range', key: ID_KEY, above: last }];
    const { items } = await readModels.find(artifactViews, { where, direction: 'asc', limit: PAGE, offset: 0 });
    for (const source of items.filter((candidate) => viewer.canSeeArtifact(candidate))) {
      for (const { id, type } of linksOf(source)) targets.get(id)?.push({ source, type });
    }
    full = items.length === PAGE;
    last = items.at(-1)?.id ?? last;
  }
  return targets;
}

export function linksOf(artifact: ArtifactView): readonly Link[] {
  return Object.values(artifact.values).flatMap(linksIn);
}

function childrenOf(artifact: ArtifactView): readonly number[] {
  return linksOf(artifact)
    .filter(({ type }) => type === CHILD_LINK)
    .map(({ id }) => id);
}

function has(tracker: CompiledTracker | undefined, type: 'art_link' | 'computed'): boolean {
  return tracker !== undefined && tracker.ofType(type).length > 0;
}
