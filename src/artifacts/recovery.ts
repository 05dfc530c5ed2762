/** Resumes links that a crash cut off between their two ends. */
import { allMatching, type InterruptedWork } from '../core/interrupted.js';
import { fold } from '../core/decider.js';
import { type EventReader, type Position, type Recorded } from '../core/event-log.js';
import { artifactDecider, type Artifact } from './artifact.js';
import { artifactStream, type ArtifactEvent } from './artifact-events.js';
import { linksOf } from './fields/canonical.js';
import { linkOrderDecider, linkOrderStream, type LinkOrderEvent } from './link-order.js';
import { carryOut, type LinkOrder } from './links.js';
import { linkCommandId, PENDING_LINKS, pendingLinksViews } from './pending-links-view.js';
import { type ArtifactPorts } from './ports.js';

type Ports = Pick<ArtifactPorts, 'log' | 'readModels' | 'directory' | 'clock'>;

export const interruptedLinks = (ports: Ports): InterruptedWork => ({
  what: 'links',
  projection: PENDING_LINKS,
  find: async (before) => {
    const pending = await allMatching(pendingLinksViews, [], ports.readModels);
    const overdue = pending.filter(({ at }) => new Date(at) < before);
    return overdue.map((order) => ({ id: order.id, resume: () => resume(order, ports) }));
  },
});

async function resume(order: LinkOrder, ports: Ports): Promise<boolean> {
  const { events } = await ports.log.read<LinkOrderEvent>(linkOrderStream(order.id));
  if (fold(linkOrderDecider, events)) return false;
  const source = await ports.log.read(artifactStream(order.source));
  if (source.events.some(({ metadata }) => metadata.commandId === order.id)) return false;
  return (await carryOut(order, ports, { isSuperseded: () => isSuperseded(order, ports.log) })) !== null;
}

/** Whether the link has changed at its source since the order was given: a late order must not undo that. */
async function isSuperseded({ id, source, target }: LinkOrder, log: EventReader): Promise<boolean> {
  const ordering = (await log.read<ArtifactEvent>(artifactStream(target))).events;
  const orderedAt = new Map(
    ordering.map(({ metadata, position }) => [linkCommandId(metadata.commandId, source), position]),
  );
  const order = orderedAt.get(id);
  if (order === undefined) return false;
  const { events } = await log.read<ArtifactEvent>(artifactStream(source));
  // What an earlier order of the same target has written counts as of that order.
  const since = ({ metadata, position }: Recorded): Position => orderedAt.get(metadata.commandId) ?? position;
  return changesOf(events, target).some((event) => since(event) > order);
}

/** The events that change whether, and how, the artifact links to the target. */
function changesOf(events: readonly Recorded<ArtifactEvent>[], target: number): readonly Recorded<ArtifactEvent>[] {
  let artifact: Artifact | null = null;
  return events.filter((event) => {
    const before = linkTo(artifact, target);
    artifact = artifactDecider.evolve(artifact, event);
    return linkTo(artifact, target) !== before;
  });
}

function linkTo(artifact: Artifact | null, target: number): string | undefined {
  const links = Object.values(artifact?.values ?? {}).flatMap((value) => linksOf(value));
  return links.find(({ id }) => id === target)?.type;
}
