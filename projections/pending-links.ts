import { type ArtifactEvent, type ReverseLinks } from '../src/artifacts/artifact-events.js';
import { type LinkSettlementEvent } from '../src/artifacts/links/link-settlement-events.js';
import {
  PENDING_LINKS,
  isLinkCommandId,
  ordersOf,
  pendingLinksViews,
} from '../src/artifacts/links/pending-links-view.js';
import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';

/** Links asked for by their target that the source does not hold yet: what a recovery has to carry forward. */
export const pendingLinks: Projection<ArtifactEvent | LinkSettlementEvent> = {
  name: PENDING_LINKS,
  version: 2,
  models: [pendingLinksViews.name],
  when: {
    ArtifactSubmitted: (event) => asked(event, event.data.artifactId, event.data.reverseLinks),
    ArtifactValuesChanged: (event) => [
      ...asked(event, event.data.artifactId, event.data.reverseLinks),
      ...written(event.metadata.commandId),
    ],
    LinkOrderSettled: ({ data }) => [effect(pendingLinksViews, data.orderId, () => null)],
  },
};

function asked(event: Recorded, target: number, links: ReverseLinks | undefined): readonly Effect[] {
  const { commandId, actor, at } = event.metadata;
  return ordersOf(links, { commandId, target, actor }).map((order) =>
    effect(pendingLinksViews, order.id, () => ({ ...order, at })),
  );
}

const written = (commandId: string): readonly Effect[] =>
  isLinkCommandId(commandId) ? [effect(pendingLinksViews, commandId, () => null)] : [];
