/** How a link that is asked for at its target gets to its source, in the request itself or in a recovery. */
import { fold } from '../../core/decider.js';
import { type EventReader, type Position, type Recorded } from '../../core/event-log.js';
import { handle, type Handled } from '../../core/handle.js';
import { streamSlices } from '../../core/stream-slices.js';
import { type Definitions } from '../../definitions/definitions.js';
import { artifactDecider, type Artifact, type ArtifactCommand } from '../artifact.js';
import { artifactStream, type ArtifactEvent } from '../artifact-events.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { linkSettlementDecider } from './link-settlement.js';
import { linkSettlementStream, type LinkSettlementEvent } from './link-settlement-events.js';
import { linkCommandId, type LinkOrder } from './pending-links-view.js';
import { type ArtifactPorts } from '../ports.js';

type Ports = Pick<ArtifactPorts, 'log' | 'definitions' | 'clock'>;

/** The order as a read model shows it. False if the log holds the result of the order. */
export async function resumeLink(order: LinkOrder, ports: Ports): Promise<boolean> {
  const { events } = await ports.log.read<LinkSettlementEvent>(linkSettlementStream(order.id));
  if (fold(linkSettlementDecider, events)) return false;
  const { position, command } = await carryOut(order, ports);
  return position !== null && command !== null;
}

/**
 * Writes the link at its source, once, however often and however late the order is carried out. Without a
 * position if nothing is to do: the link is so already, its source is gone, or it has changed at its source since the
 * order.
 */
export async function carryOut(
  order: LinkOrder,
  { log, definitions, clock }: Ports,
  given?: { readonly at: Position; readonly requestId: string },
): Promise<Handled<Artifact | null, ArtifactCommand>> {
  const envelope = {
    commandId: order.id,
    metadata: {
      actor: order.actor,
      at: clock,
      ...(given !== undefined && { requestId: given.requestId }),
    },
  };
  const handled = await handle(log, artifactDecider, {
    ...envelope,
    stream: artifactStream(order.source),
    after: given?.at,
    command: async ({ state, end }): Promise<ArtifactCommand> => {
      const mayBeLate = given === undefined || (end !== null && end > given.at);
      const isLate = mayBeLate && (await isSuperseded(order, log));
      const fieldIds = isLate ? [] : linkFields(state, order.target, definitions);
      return { type: 'SetLink', fieldIds, target: order.target, linkType: order.type };
    },
  });
  if (handled.position === null) {
    const settled = { orderId: order.id };
    await handle(log, linkSettlementDecider, {
      ...envelope,
      stream: linkSettlementStream(order.id),
      command: () => settled,
    });
  }
  return handled;
}

/** The fields that hold the link, else the first that can; empty when there is none. */
export function linkFields(source: Artifact | null, target: number, definitions: Definitions): readonly number[] {
  const fields = source === null ? [] : (definitions.tracker(source.trackerId)?.ofType('art_link') ?? []);
  const holding = fields.filter(({ id }) => linksOf(source?.values[String(id)]).some((link) => link.id === target));
  return (holding.length > 0 ? holding : fields.slice(0, 1)).map(({ id }) => id);
}

/** Whether the link has changed at its source since the order was given: a late order must not undo that. */
async function isSuperseded({ id, source, target }: LinkOrder, log: EventReader): Promise<boolean> {
  const orderedAt = new Map<string, Position>();
  for await (const events of streamSlices(log, artifactStream(target))) {
    for (const { metadata, position } of events) orderedAt.set(linkCommandId(metadata.commandId, source), position);
  }
  const order = orderedAt.get(id);
  if (order === undefined) return false;
  // What an earlier order of the same target has written counts as of that order.
  const since = ({ metadata, position }: Recorded): Position => orderedAt.get(metadata.commandId) ?? position;
  for await (const event of changesOf(source, target, log)) if (since(event) > order) return true;
  return false;
}

/** The events that change whether, and how, the artifact links to the target. */
async function* changesOf(source: number, target: number, log: EventReader): AsyncGenerator<Recorded, void, void> {
  let artifact: Artifact | null = null;
  for await (const events of streamSlices<ArtifactEvent>(log, artifactStream(source))) {
    for (const event of events) {
      const before = linksTo(artifact, target);
      artifact = artifactDecider.evolve(artifact, event);
      if (linksTo(artifact, target) !== before) yield event;
    }
  }
}

/** One text for the links of all fields. */
function linksTo(artifact: Artifact | null, target: number): string {
  const links = Object.values(artifact?.values ?? {}).flatMap((value) => linksOf(value));
  return JSON.stringify(links.flatMap(({ id, type }) => (id === target ? [type] : [])));
}
