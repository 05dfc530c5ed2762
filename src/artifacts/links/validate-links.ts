/** The other ends of links: which may be linked. */
import { MAX_ARTIFACT_BYTES, MAX_LINKS } from '../../core/bounds.js';
import { foldedStream } from '../../core/folded-streams.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { type Violation } from '../../core/problem.js';
import { slicesOf } from '../../core/read-models.js';
import { type Viewer } from '../../authorization/viewer.js';
import { CHILD_LINK } from '../../platform/link-types.js';
import { artifactDecider, takesLink } from '../artifact.js';
import { artifactStream, type ReverseLinks } from '../artifact-events.js';
import { artifactViews, deletedArtifactViews, type ArtifactView } from '../artifact-view.js';
import { linkFields } from './commands.js';
import { type FieldValues, type Link } from '../../trackers/field-types/field-value.js';
import { linkTargets } from '../fields/links.js';
import { sameValue } from '../fields/values.js';
import { type ArtifactPorts } from '../ports.js';
import { faultsOf, type LinkRequest } from './link-request.js';
import { canLinkFrom, isInActiveProject } from './linkable.js';
import { sourcesOf, type ReverseLink } from '../representation/load-related.js';
import { limitingValues } from '../representation/reading.js';
import { refuseUnshown } from '../unshown-writes.js';

type Ports = Pick<ArtifactPorts, 'log' | 'readModels' | 'definitions' | 'clock'>;

export interface ValidatedLinks {
  readonly forward?: readonly Link[];
  readonly reverse: ReverseLinks;
  /** Of the named ends, by the rights of now: those that the viewer may not see, and sources that the viewer may not write. */
  readonly refused: () => readonly Violation[];
  /** Nothing is written if there are any. */
  readonly faults: readonly Violation[];
}

/** What is kept of an artifact that may be large. */
interface LinkEnd extends Pick<ArtifactView, 'id' | 'trackerId'> {
  /** Those that limit who may see it. */
  readonly values: FieldValues;
  /** Of its links to the artifact that is written, those that the viewer may read. */
  readonly linkTypes: readonly string[];
}

/** By id. */
export type VisibleEnds = ReadonlyMap<number, LinkEnd>;

/** The other ends, of links that are asked for or held, that the viewer may see. An unread link is no reason to refuse. */
export async function visibleEnds(
  links: readonly Pick<LinkRequest, 'wish' | 'held' | 'isRead' | 'target'>[],
  { readModels, definitions }: Pick<Ports, 'readModels' | 'definitions'>,
  viewer: Viewer,
): Promise<VisibleEnds> {
  const heldIn = ({ held }: Pick<LinkRequest, 'held'>): readonly number[] => held.map(({ id }) => id);
  const told = new Set(links.flatMap((link) => [...linkTargets(link.wish), ...(link.isRead ? heldIn(link) : [])]));
  const ids = [...new Set([...told, ...links.flatMap(heldIn)])];
  const sees = (end: ArtifactView): boolean => told.has(end.id) && viewer.canSeeArtifact(end);
  // One that this process has created is an artifact, even if the read models do not show it yet.
  const added = ids.filter((id) => told.has(id) && !links.some((link) => heldIn(link).includes(id)));
  await Promise.all(added.map((id) => refuseUnshown(id, readModels)));
  const isTarget = ({ id }: Link): boolean => links.some(({ target }) => target?.id === id);
  const ends = new Map<number, LinkEnd>();
  for await (const found of slicesOf(readModels, artifactViews, ids, sees)) {
    for (const end of found.filter(viewer.canSeeArtifact)) {
      const linkTypes = viewer.linksOf(end).flatMap((link) => (isTarget(link) ? [link.type] : []));
      ends.set(end.id, {
        id: end.id,
        trackerId: end.trackerId,
        linkTypes,
        values: limitingValues(end, { definitions }),
      });
    }
  }
  return ends;
}

/** Its faults are the other ends that do not exist for the viewer, or that may not be written by them. */
export async function validateLinks(
  request: LinkRequest,
  ends: VisibleEnds,
  ports: Ports,
  viewer: Viewer,
): Promise<ValidatedLinks> {
  const { wish, held, isRead } = request;
  const sources = await presentSources(request, ports, viewer);
  const reverse = reverseChanges(request, { ends, sources });
  const changed = [
    ...reverse.add.map(({ source }) => ends.get(source)),
    ...reverse.remove.map((id) => sources.get(id)?.source),
  ].flatMap((end) => end ?? []);
  // A link that the writer reads can be sent back.
  const added = (wish.forward ?? []).filter(
    ({ id, type }) => !isRead || !held.some((link) => link.id === id && link.type === type),
  );
  const refused = (): readonly Violation[] => {
    const isSeen = (end: LinkEnd | undefined): boolean => end !== undefined && viewer.canSeeArtifact(end);
    const unknown = linkTargets(wish).filter((id) => !isSeen(ends.get(id)));
    const isClosed = (end: LinkEnd | undefined): boolean => end !== undefined && !isInActiveProject(end, ports);
    const closed = added.map(({ id }) => id).filter((id) => !unknown.includes(id) && isClosed(ends.get(id)));
    const ids = changed.filter((end) => !canLinkFrom(end, ports, viewer)).map(({ id }) => id);
    const seen = ids.filter((id) => !unknown.includes(id) && !closed.includes(id));
    return [
      ...faultsOf(request, unknown, 'is not an artifact'),
      ...faultsOf(request, closed, 'is in a project that is not active'),
      ...faultsOf(request, seen, NO_RIGHT, 'reverse'),
    ];
  };
  const faults = refused();
  if (faults.length > 0) return { reverse, refused, faults };
  const full = faultsOf(request, await fullSources(reverse, request, ports), NO_ROOM, 'reverse');
  if (wish.forward === undefined || full.length > 0) return { reverse, refused, faults: full };
  return { forward: await allForward(wish.forward, request, ends, ports), reverse, refused, faults: [] };
}

/** Held links that the client was not shown stay. Those to deleted artifacts go where the value changes anyway. */
async function allForward(
  wanted: readonly Link[],
  { held }: Pick<LinkRequest, 'held'>,
  ends: VisibleEnds,
  { readModels }: Pick<Ports, 'readModels'>,
): Promise<readonly Link[]> {
  const unseen = held.filter(({ id }) => !ends.has(id));
  const links = [...wanted, ...unseen];
  if (sameValue(held, links)) return links;
  const deleted = new Set<number>();
  const ids = unseen.map(({ id }) => id);
  for await (const found of slicesOf(readModels, deletedArtifactViews, ids, () => false)) {
    for (const { id } of found) deleted.add(id);
  }
  return links.filter(({ id }) => !deleted.has(id));
}

/**
 * Sources that a change would take beyond their bounds. Checked against the streams and all links of the sources. The
 * request is answered as done, so no order may fail later.
 */
async function fullSources(
  { add, remove }: ReverseLinks,
  { target }: LinkRequest,
  { log, definitions }: Ports,
): Promise<readonly number[]> {
  const changes = [...add, ...remove.map((source) => ({ source, type: null }))];
  const end = target?.id ?? LONGEST_ID;
  const full: number[] = [];
  for (const { source, type: linkType } of changes) {
    const { state: artifact } = (await foldedStream(log, artifactDecider, artifactStream(source))).current;
    const change = { fieldIds: linkFields(artifact, end, definitions), target: end, linkType };
    if (artifact !== null && !takesLink(change, artifact)) full.push(source);
    // Artifacts may be large, and other requests wait.
    await othersTurn();
  }
  return full;
}

const NO_ROOM = `is full; an artifact holds at most ${MAX_LINKS} links and ${MAX_ARTIFACT_BYTES} bytes of values`;
const NO_RIGHT = 'may not be linked from: its tracker has no link field, or you may not update it and its link fields';

/** In the place of an id that the new artifact will have. */
const LONGEST_ID = Number.MAX_SAFE_INTEGER;

/** By id; empty when the request does not list them. */
async function presentSources(
  { wish, target }: LinkRequest,
  ports: Ports,
  viewer: Viewer,
): Promise<ReadonlyMap<number, ReverseLink>> {
  if (target === undefined || wish.reverse === undefined) return new Map();
  const sources = await sourcesOf([target.id], { ...ports, viewer });
  return new Map((sources.get(target.id) ?? []).map((link) => [link.source.id, link]));
}

interface PresentEnds {
  readonly ends: VisibleEnds;
  /** Not all of them: as many as are shown. */
  readonly sources: ReadonlyMap<number, ReverseLink>;
}

/** Only what is not so already. Of a source, the last mention counts, and other links that it has only if they are mentioned. */
function reverseChanges({ wish, named }: LinkRequest, { ends, sources }: PresentEnds): ReverseLinks {
  const { parent, reverse } = wish;
  const wanted = [
    ...(reverse ?? []).map(({ id, type }) => ({ source: id, type })),
    ...(parent === undefined ? [] : [{ source: parent, type: CHILD_LINK }]),
  ];
  const lastOfEach = new Map(wanted.map((link) => [link.source, link]));
  const mentioned = reverse && new Set(reverse.map(({ id, type }) => `${id} ${type}`));
  const isSo = ({ source, type }: { readonly source: number; readonly type: string }): boolean => {
    const held = ends.get(source)?.linkTypes ?? [];
    return held.includes(type) && held.every((other) => mentioned?.has(`${source} ${other}`) ?? true);
  };
  return {
    add: [...lastOfEach.values()].filter((link) => !isSo(link)),
    remove: [...sources.keys()].filter((source) => !named.has(source)),
  };
}
