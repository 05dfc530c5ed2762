import { type Position, type Recorded } from '../core/event-log.js';
import { type Handled } from '../core/handle.js';
import { FILES } from '../files/file-view.js';
import { TRACKERS } from '../trackers/tracker-view.js';
import { artifactStream, type ArtifactEvent, type ReverseLinks } from './artifact-events.js';
import { type NewFile } from './attachments/attachments.js';
import { carryOut } from './links/commands.js';
import { ordersOf, PENDING_LINKS, type LinkOrder } from './links/pending-links-view.js';
import { afterOrders, refuseUnderWay } from './links/orders-under-way.js';
import { type Caller } from '../authorization/caller.js';
import { type PlannedLabels } from './open-values.js';
import { type ArtifactPorts } from './ports.js';
import { shown } from './unshown-writes.js';

/** What a write leaves to be done once its event is in the log. */
export interface Written {
  readonly artifactId: number;
  readonly commandId: string;
  readonly reverseLinks: ReverseLinks | undefined;
  readonly newFiles: readonly NewFile[];
  readonly labelled: Position | null;
}

interface Settled extends Partial<Pick<Written, 'newFiles'>> {
  readonly reverseLinks?: ReverseLinks;
  readonly labels?: readonly PlannedLabels[];
}

export const settlementOf = (command: Settled | null) => ({
  reverseLinks: command?.reverseLinks,
  newFiles: command?.newFiles ?? [],
  labelled: lastOf(command?.labels ?? []),
});

const lastOf = (labels: readonly PlannedLabels[]): Position | null =>
  labels
    .flatMap(({ position }) => position ?? [])
    .sort()
    .at(-1) ?? null;

/** Carries links to their sources, then waits until all of it may be answered. */
export async function settle(
  { position, end }: Handled<unknown>,
  { artifactId, commandId, reverseLinks, newFiles, labelled }: Written,
  ports: ArtifactPorts,
  { viewer, requestId }: Caller,
): Promise<void> {
  const orders = ordersOf(reverseLinks, { commandId, target: artifactId, actor: viewer.user?.id ?? null });
  const ordered = position === null ? null : await carriedOut(orders, ports, { at: position, requestId });
  // A command with nothing to do answers with the Etag of what another one wrote: its reader must see that, too.
  const last = ordered ?? position ?? end;
  const artifactIds = [artifactId, ...orders.map(({ source }) => source)];
  const show = () => shown(artifactIds, last, ports.readModels);
  const attached = newFiles.length === 0 ? null : position;
  await Promise.all([
    mayBeAnswered(artifactIds, { position, show }, ports),
    caughtUp(PENDING_LINKS, ordered, ports),
    caughtUp(TRACKERS, labelled, ports),
    caughtUp(FILES, attached, ports),
  ]);
}

/** The position of the last event that it took. */
async function carriedOut(
  orders: readonly LinkOrder[],
  ports: ArtifactPorts,
  given: { readonly at: Position; readonly requestId: string },
): Promise<Position | null> {
  let last: Position | null = null;
  for (const order of orders) last = (await carryOut(order, ports, given)).position ?? last;
  return last;
}

/** The same for a submission that another request has written: it may be under way still, or have been cut off. */
export async function settleAgain({ data, position }: Recorded<ArtifactEvent>, ports: ArtifactPorts): Promise<void> {
  const { artifactId } = data;
  if ('reverseLinks' in data) await afterOrders(artifactId, () => refuseUnderWay(artifactId, ports), ports);
  await Promise.all([
    shown([artifactId], position, ports.readModels),
    caughtUp(TRACKERS, position, ports),
    caughtUp(FILES, position, ports),
  ]);
}

/** Waits until the artifacts are shown, or until all reading waits for that. */
async function mayBeAnswered(
  artifactIds: readonly number[],
  { position, show }: { readonly position: Position | null; readonly show: () => Promise<void> },
  { early }: ArtifactPorts,
): Promise<void> {
  // Without an event, the wait tells nothing of how prompt the read models are.
  const mayBeEarly = position !== null && early !== undefined;
  await (mayBeEarly ? early.answer(artifactIds.map(artifactStream), show) : show());
}

async function caughtUp(projection: string, position: Position | null, { readModels }: ArtifactPorts): Promise<void> {
  if (position !== null) await readModels.caughtUp(projection, position);
}
