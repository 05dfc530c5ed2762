/** What the representation of artifacts needs of others: link targets, link sources, files and sums over children. */
import { MAX_REVERSE_LINKS } from '../../core/bounds.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { type ArtifactView } from '../artifact-view.js';
import { addLink, LINK_SOURCES_PAGE, linkSourcesAfter, ofWholeSources } from './link-sources.js';
import { describedFiles, type DescribeFile } from './described-files.js';
import { targetsAmong, withLinked, type Linked } from './linked.js';
import { has, shownEnd, visibleSlices, type Reading } from './reading.js';
import { sumsOf, type SumOf } from './sums.js';

export interface ReverseLink {
  /** Without its contents and links. */
  readonly source: ArtifactView;
  readonly type: string;
}

/** Only what the viewer may see. */
export interface Related {
  readonly describeFile: DescribeFile;
  /** Without its contents and links. */
  linked(id: number): ArtifactView | undefined;
  /** As many as are shown with an artifact. */
  reverseLinks(id: number): readonly ReverseLink[];
  /** Null for artifacts as they were: sums over their children are unknown. */
  readonly sumOf: SumOf;
}

/** Links to artifacts as they were, and numbers of their children, are facts of others and of today: `past` leaves them out. */
export async function relatedTo(
  artifacts: readonly ArtifactView[],
  reading: Reading,
  { past = false } = {},
): Promise<Related> {
  const links = linksTo(artifacts, reading, past);
  const [found, describeFile] = await Promise.all([links, describedFiles(artifacts, reading)]);
  return { ...found, describeFile };
}

async function linksTo(
  artifacts: readonly ArtifactView[],
  reading: Reading,
  past: boolean,
): Promise<Omit<Related, 'describeFile'>> {
  const withLinks = artifacts.filter((artifact) => has(artifact, 'art_link', reading));
  if (withLinks.length === 0) return { linked: () => undefined, reverseLinks: () => [], sumOf: () => null };
  await othersTurn();
  const present = past ? [] : withLinks;
  const ids = present.map(({ id }) => id);
  // A server is asked for both at once.
  const sources = othersTurn().then(() => sourcesOf(ids, reading));
  const wanted = past ? 'targets' : 'all';
  const shownFrom = async (known: Linked) => {
    await othersTurn();
    const sumOf = await sumsOf(present, reading, (id) => known.get(id));
    return { targets: await targetsAmong(known, artifacts, reading), sumOf };
  };
  const [{ targets, sumOf }, reverse] = await Promise.all([withLinked(artifacts, reading, wanted, shownFrom), sources]);
  return { linked: (id) => targets.get(id), sumOf, reverseLinks: (id) => reverse.get(id) ?? [] };
}

/**
 * Who links to these artifacts, by target, as far as the viewer may see the sources and read their links. Of the links
 * to one artifact those of the lowest ids, and no more than a bound.
 */
export async function sourcesOf(
  ids: readonly number[],
  reading: Pick<Reading, 'readModels' | 'viewer' | 'definitions' | 'gone'>,
): Promise<ReadonlyMap<number, readonly ReverseLink[]>> {
  const targets = new Map<number, ReverseLink[]>(ids.map((id) => [id, []]));
  const hasRoom = (links: readonly ReverseLink[] = []): boolean => links.length < MAX_REVERSE_LINKS;
  const wanted = (): readonly number[] => ids.filter((id) => hasRoom(targets.get(id)));
  for await (const page of linksTowards(wanted, reading)) {
    for (const { target, link } of page) addLink(targets.get(target) ?? [], link);
  }
  return new Map([...targets].map(([id, links]) => [id, ofWholeSources(links)]));
}

/** Every link that leads to one artifact, in pages, by the ids of the sources. */
export async function* reversePages(
  artifact: ArtifactView,
  reading: Reading,
): AsyncGenerator<readonly ReverseLink[], void, void> {
  for await (const page of linksTowards(() => [artifact.id], reading)) yield page.map(({ link }) => link);
}

/** Each once, however many fields hold it. Links of one type from one artifact are one object: there may be a million. */
interface Towards {
  readonly target: number;
  readonly link: ReverseLink;
}

/** `wanted` is asked before each page and between its slices: no more are read once it wants none. */
export async function* linksTowards(
  wanted: () => readonly number[],
  reading: Pick<Reading, 'readModels' | 'viewer' | 'definitions' | 'gone'>,
): AsyncGenerator<readonly Towards[], void, void> {
  const { readModels, viewer, gone } = reading;
  const towards = (targets: ReadonlySet<number>, sources: readonly ArtifactView[]): readonly Towards[] =>
    sources.flatMap((found) => {
      const source = shownEnd(found, reading);
      const byType = new Map<string, { readonly link: ReverseLink; readonly seen: Set<number> }>();
      return viewer.linksOf(found).flatMap(({ id: target, type }) => {
        const { link, seen } = byType.get(type) ?? { link: { source, type }, seen: new Set() };
        byType.set(type, { link, seen });
        if (!targets.has(target) || seen.has(target)) return [];
        seen.add(target);
        return [{ target, link }];
      });
    });
  for (let last = 0, full = true; full;) {
    const targets = new Set(wanted());
    if (targets.size === 0) return;
    gone?.throwIfAborted();
    const sources = await linkSourcesAfter(last, [...targets], readModels);
    await othersTurn();
    for await (const visible of visibleSlices(sources, reading)) {
      yield towards(targets, visible);
      if (wanted().length === 0) return;
    }
    full = sources.length === LINK_SOURCES_PAGE;
    last = sources.at(-1) ?? last;
  }
}

export type LinkEnd = Pick<ArtifactView, 'id' | 'trackerId'>;

export const endOf = ({ id, trackerId }: LinkEnd): LinkEnd => ({ id, trackerId });

/** Those of these ids that exist and that the viewer may see, in the order of the ids. */
export async function visibleEnds(
  ids: readonly number[],
  reading: Pick<Reading, 'readModels' | 'viewer' | 'gone'>,
): Promise<ReadonlyMap<number, LinkEnd>> {
  const known = new Map<number, LinkEnd>();
  for await (const visible of visibleSlices([...new Set(ids)], reading)) {
    for (const end of visible) known.set(end.id, endOf(end));
  }
  await othersTurn();
  return known;
}
