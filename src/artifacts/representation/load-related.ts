/** The artifacts that the representation of others needs: link targets, link sources, children of computed fields. */
import { MAX_REVERSE_LINKS } from '../../core/bounds.js';
import { othersTurn, turnTaking } from '../../core/concurrency/others-turn.js';
import { slicesOf, type ReadModels } from '../../core/read-models.js';
import { type Viewer } from '../../authorization/viewer.js';
import { type Definitions } from '../../definitions/definitions.js';
import { CHILD_LINK } from '../../platform/link-types.js';
import { artifactViews, type ArtifactView } from '../artifact-view.js';
import { addLink, LINK_SOURCES_PAGE, linkSourcesAfter, ofWholeSources } from './link-sources.js';
import { describedFiles, type DescribeFile } from './described-files.js';
import { type FieldValue } from '../../trackers/field-types/field-value.js';
import { computedOf, linksOf } from '../../trackers/field-types/canonical.js';
import { sumsOf, type SumOf } from './sums.js';
import { type TextRendering } from '../rendering/text-rendering.js';

export interface ReverseLink {
  /** Without its contents. */
  readonly source: ArtifactView;
  readonly type: string;
}

/** Only what the viewer may see. */
export interface Related {
  readonly describeFile: DescribeFile;
  /** Without its contents. */
  linked(id: number): ArtifactView | undefined;
  /** As many as are shown with an artifact. */
  reverseLinks(id: number): readonly ReverseLink[];
  /** Null for artifacts as they were: sums over their children are unknown. */
  readonly sumOf: SumOf;
}

export interface Reading {
  readonly readModels: ReadModels;
  readonly definitions: Definitions;
  readonly viewer: Viewer;
  /** Aborts when no request waits for the answer any longer. */
  readonly gone?: AbortSignal;
}

/** What the whole representation of artifacts takes. */
export interface Representing extends Reading {
  readonly texts: TextRendering;
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
  const [targets, reverse] = await Promise.all([linkedFrom(artifacts, reading, past ? 'targets' : 'all'), sources]);
  await othersTurn();
  const linked: Related['linked'] = (id) => targets.get(id);
  return { linked, sumOf: await sumsOf(present, reading, linked), reverseLinks: (id) => reverse.get(id) ?? [] };
}

/** Link targets; `children` of artifacts with computed fields, on every level, to be summed up; or `all` of them. */
export async function linkedFrom(
  artifacts: readonly ArtifactView[],
  reading: Reading,
  wanted: 'targets' | 'children' | 'all',
): Promise<ReadonlyMap<number, ArtifactView>> {
  const { viewer } = reading;
  const known = new Map<number, ArtifactView>();
  const asked = new Set<number>();
  const load = async (ids: Iterable<number>): Promise<void> => {
    const unknown = [...new Set(ids)].filter((id) => !asked.has(id));
    for (const id of unknown) asked.add(id);
    for await (const found of slicesOf(reading.readModels, artifactViews, unknown, viewer.canSeeArtifact)) {
      for (const end of found.filter(viewer.canSeeArtifact)) known.set(end.id, withoutContents(end, reading));
    }
  };
  const turn = turnTaking();
  const summedChildren = async (parents: readonly ArtifactView[]): Promise<ReadonlySet<number>> => {
    const ids = new Set<number>();
    for (const parent of parents) {
      await turn();
      if (!has(parent, 'computed', reading)) continue;
      for (const { id, type } of viewer.linksOf(parent)) if (type === CHILD_LINK) ids.add(id);
    }
    return ids;
  };

  if (wanted !== 'children') await load(artifacts.flatMap((artifact) => viewer.linksOf(artifact)).map(({ id }) => id));
  if (wanted === 'targets') return known;
  const expanded = new Set(artifacts.map(({ id }) => id));
  for (let level = await summedChildren(artifacts); level.size > 0;) {
    await load(level);
    const parents = [...level].filter((id) => !expanded.has(id)).flatMap((id) => known.get(id) ?? []);
    for (const { id } of parents) expanded.add(id);
    level = await summedChildren(parents);
  }
  return known;
}

/**
 * Who links to these artifacts, by target, as far as the viewer may see the sources and read their links. Of the links
 * to one artifact those of the lowest ids, and no more than a bound.
 */
export async function sourcesOf(
  ids: readonly number[],
  reading: Pick<Reading, 'readModels' | 'viewer' | 'definitions'>,
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

/** The visible artifacts that an artifact links to, by id. */
export async function targetsOf(artifact: ArtifactView, reading: Reading): Promise<ReadonlyMap<number, ArtifactView>> {
  return has(artifact, 'art_link', reading) ? linkedFrom([artifact], reading, 'targets') : new Map();
}

/** Each once, however many fields hold it. Links of one type from one artifact are one object: there may be a million. */
interface Towards {
  readonly target: number;
  readonly link: ReverseLink;
}

/** `wanted` is asked before each page and between its slices: no more are read once it wants none. */
export async function* linksTowards(
  wanted: () => readonly number[],
  reading: Pick<Reading, 'readModels' | 'viewer' | 'definitions'>,
): AsyncGenerator<readonly Towards[], void, void> {
  const { readModels, viewer } = reading;
  const towards = (targets: ReadonlySet<number>, sources: readonly ArtifactView[]): readonly Towards[] =>
    sources.filter(viewer.canSeeArtifact).flatMap((found) => {
      const source = withoutContents(found, reading);
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
    const sources = await linkSourcesAfter(last, [...targets], readModels);
    await othersTurn();
    for await (const found of slicesOf(readModels, artifactViews, sources, viewer.canSeeArtifact)) {
      yield towards(targets, found);
      if (wanted().length === 0) return;
    }
    full = sources.length === LINK_SOURCES_PAGE;
    last = sources.at(-1) ?? last;
  }
}

/** Of the other end of a link, with what sums are made of: many large ones are not held at once. */
function withoutContents(artifact: ArtifactView, reading: Pick<Reading, 'definitions' | 'viewer'>): ArtifactView {
  const isSummed = has(artifact, 'computed', reading);
  const isPart = (value: FieldValue): boolean =>
    typeof value === 'number' || computedOf(value) !== undefined || (isSummed && linksOf(value).length > 0);
  return {
    ...artifact,
    values: Object.fromEntries(Object.entries(artifact.values).filter(([, value]) => isPart(value))),
  };
}

export function has(
  { trackerId }: ArtifactView,
  type: 'art_link' | 'computed',
  { definitions, viewer }: Pick<Reading, 'definitions' | 'viewer'>,
): boolean {
  const tracker = definitions.tracker(trackerId);
  return tracker !== undefined && viewer.readable(tracker).ofType(type).length > 0;
}
