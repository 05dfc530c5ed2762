/** The other ends of links: which may be linked, and how a link that is asked for at its target gets to its source. */
import { handle } from '../core/handle.js';
import { type Position } from '../core/event-log.js';
import { Problem, type Violation } from '../core/problem.js';
import { type Directory } from '../directory/directory.js';
import { type Viewer } from '../directory/viewer.js';
import { CHILD_LINK } from '../settings/link-types.js';
import { artifactDecider, type Artifact, type ArtifactCommand } from './artifact.js';
import { artifactStream, type ReverseLinks } from './artifact-events.js';
import { artifactViews, type ArtifactView } from './artifact-view.js';
import { linkOrderDecider, linkOrderStream } from './link-order.js';
import { type Link } from './field-value.js';
import { linksOf } from './fields/canonical.js';
import { linkTargets, type LinkWish } from './fields/links.js';
import { linkCommandId, type PendingLinkView } from './pending-links-view.js';
import { type ArtifactPorts } from './ports.js';
import { sourcesOf, type ReverseLink } from './related.js';

type Ports = Pick<ArtifactPorts, 'log' | 'readModels' | 'directory' | 'clock'>;

export interface LinkRequest {
  readonly wish: LinkWish;
  readonly pointer: string;
  readonly label: string;
  /** The artifact as it stands; left out for a new one. */
  readonly target?: Artifact;
  /** The links that the field holds. */
  readonly held: readonly Link[];
}

export interface CheckedLinks {
  readonly forward?: readonly Link[];
  readonly reverse: ReverseLinks;
}

/** Throws when another end is unknown, unseen, or may not be written by the viewer. */
export async function checkedLinks(request: LinkRequest, ports: Ports, viewer: Viewer): Promise<CheckedLinks> {
  const { wish, held } = request;
  const ids = [...new Set([...linkTargets(wish), ...held.map(({ id }) => id)])];
  const known = new Map((await ports.readModels.getMany(artifactViews, ids)).map((end) => [end.id, end]));
  const isSeen = (id: number): boolean => {
    const end = known.get(id);
    return end !== undefined && viewer.canSeeArtifact(end);
  };
  const isHeld = new Set(held.map(({ id }) => id));
  refuse(
    request,
    linkTargets(wish).filter((id) => !isSeen(id) && !(isHeld.has(id) && known.has(id))),
    'is not an artifact',
  );

  // A client that sends back what it read must not cut links that it was not shown, be it only because they are gone.
  const unseen = held.filter(({ id }) => !isSeen(id));
  const sources = await presentSources(request, ports, viewer);
  const reverse = reverseChanges(wish, sources);
  const changed = [
    ...reverse.add.map(({ source }) => known.get(source)),
    ...reverse.remove.map((id) => sources.get(id)?.source),
  ].flatMap((end) => end ?? []);
  const refused = changed.filter((end) => !canLinkFrom(end, ports, viewer)).map(({ id }) => id);
  refuse(request, refused, 'may not be linked from by you');
  if (wish.forward === undefined) return { reverse };
  const named = new Set(wish.forward.map(({ id }) => id));
  return { forward: [...wish.forward, ...unseen.filter(({ id }) => !named.has(id))], reverse };
}

/** How many of them are named, of however many there are. */
const MAX_REFUSED = 100;

function refuse({ pointer, label }: LinkRequest, ids: readonly number[], why: string): void {
  if (ids.length === 0) return;
  const details: readonly Violation[] = ids
    .slice(0, MAX_REFUSED)
    .map((id) => ({ pointer, message: `${label}: ${id} ${why}` }));
  throw new Problem('invalid', details.map(({ message }) => message).join('\n'), { details });
}

/** By id; empty when the request says nothing of them. */
async function presentSources(
  { wish, target }: LinkRequest,
  ports: Ports,
  viewer: Viewer,
): Promise<ReadonlyMap<number, ReverseLink>> {
  if (target === undefined || (wish.parent === undefined && wish.reverse === undefined)) return new Map();
  const sources = await sourcesOf([target.id], { ...ports, viewer });
  return new Map((sources.get(target.id) ?? []).map((link) => [link.source.id, link]));
}

/** Only what is not so already. */
function reverseChanges({ parent, reverse }: LinkWish, present: ReadonlyMap<number, ReverseLink>): ReverseLinks {
  const wanted = [
    ...(reverse ?? []).map(({ id, type }) => ({ source: id, type })),
    ...(parent === undefined ? [] : [{ source: parent, type: CHILD_LINK }]),
  ];
  const named = new Set(wanted.map(({ source }) => source));
  return {
    add: wanted.filter(({ source, type }) => present.get(source)?.type !== type),
    remove: reverse === undefined ? [] : [...present.keys()].filter((source) => !named.has(source)),
  };
}

function canLinkFrom({ trackerId }: ArtifactView, { directory }: Ports, viewer: Viewer): boolean {
  const tracker = directory.tracker(trackerId);
  const field = tracker?.ofType('art_link')[0];
  if (tracker === undefined || field === undefined) return false;
  const isActive = directory.project(tracker.view.projectId)?.status === 'active';
  return isActive && viewer.canUpdate(tracker) && viewer.may('update', tracker, field);
}

/** What one source has to do, whether asked for just now or found undone. */
export type LinkOrder = Omit<PendingLinkView, 'at'>;

export function ordersOf(
  links: ReverseLinks,
  { commandId, target, actor }: { commandId: string; target: number; actor: number | null },
): readonly LinkOrder[] {
  const changes = [...links.add, ...links.remove.map((source) => ({ source, type: null }))];
  return changes.map(({ source, type }) => ({ id: linkCommandId(commandId, source), source, target, type, actor }));
}

/** Writes the link at its source; null when it is so already, or when the source is gone. */
export async function carryOut(
  order: LinkOrder,
  { log, directory, clock }: Ports,
  requestId?: string,
): Promise<Position | null> {
  const envelope = {
    commandId: order.id,
    metadata: { actor: order.actor, at: clock().toISOString(), ...(requestId !== undefined && { requestId }) },
  };
  const { position } = await handle(log, artifactDecider, {
    ...envelope,
    stream: artifactStream(order.source),
    command: ({ state }): ArtifactCommand => ({
      type: 'SetLink',
      fieldId: linkField(state, order.target, directory),
      target: order.target,
      linkType: order.type,
    }),
  });
  if (position === null) {
    const settled = { orderId: order.id };
    await handle(log, linkOrderDecider, { ...envelope, stream: linkOrderStream(order.id), command: () => settled });
  }
  return position;
}

/** The field that holds the link, else the first that can; null when there is none. */
function linkField(source: Artifact | null, target: number, directory: Directory): number | null {
  const fields = source === null ? [] : (directory.tracker(source.trackerId)?.ofType('art_link') ?? []);
  const holding = fields.find(({ id }) => linksOf(source?.values[String(id)]).some((link) => link.id === target));
  return (holding ?? fields[0])?.id ?? null;
}
