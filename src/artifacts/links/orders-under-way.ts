/** Links that earlier writes of an artifact have ordered at their sources, and that are not written there yet. */
import { enqueue } from '../../core/concurrency/keyed-queue.js';
import { foldedStream } from '../../core/folded-streams.js';
import { type Position } from '../../core/event-log.js';
import { temporarilyUnavailable } from '../../core/problem.js';
import { allMatching } from '../../core/recovery/interrupted-work.js';
import { artifactDecider } from '../artifact.js';
import { artifactStream } from '../artifact-events.js';
import { ARTIFACTS } from '../artifact-view.js';
import { type ArtifactPorts } from '../ports.js';
import { resumeLink } from './commands.js';
import { ordersAt, PENDING_LINKS, pendingLinksViews, type LinkOrder } from './pending-links-view.js';

type Ports = Pick<ArtifactPorts, 'log' | 'readModels' | 'definitions' | 'clock'>;

class OrdersUnderWay extends Error {
  override readonly name = 'OrdersUnderWay';
  readonly orders: readonly LinkOrder[];

  constructor(orders: readonly LinkOrder[]) {
    super('Links of the artifact are under way');
    this.orders = orders;
  }
}

/**
 * Throws while there are any, for `afterOrders`. Then reading shows what they have come to: what is decided by less would be
 * undone once they are carried out.
 */
export async function refuseUnderWay(target: number, { log, readModels }: Ports): Promise<void> {
  const { end } = (await foldedStream(log, artifactDecider, artifactStream(target))).current;
  await reached(PENDING_LINKS, end, readModels);
  const orders = await allMatching(pendingLinksViews, ordersAt(target), readModels);
  if (orders.length > 0) throw new OrdersUnderWay(orders);
  await reached(ARTIFACTS, await log.end(), readModels);
}

/** Of those in other processes who write links of the same artifact, one gets further each time. */
const PATIENCE_MS = 5000;
const FEWEST_TRIES = 3;

/**
 * Does work on a target, one after the other in a process, and again once the orders that it has met are carried out: not
 * within the work, which may hold the queue of the target's stream, because carrying out takes those of the sources.
 */
export function afterOrders<T>(target: number, work: () => Promise<T>, ports: Ports): Promise<T> {
  return enqueue(ports.log, `links of ${target}`, async () => {
    const deadline = performance.now() + PATIENCE_MS;
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof OrdersUnderWay)) throw error;
        if (tries >= FEWEST_TRIES && performance.now() > deadline) throw temporarilyUnavailable(CONTENTION);
        await carryOutAll(error.orders, ports);
      }
    }
  });
}

const CONTENTION = 'Other requests write links of the artifact all the time; retry later';
const NOT_WRITTEN = 'Earlier links of the artifact cannot be written yet; retry later';

/** As many as can be. Why others cannot is told by their recovery, to whom it concerns. */
async function carryOutAll(orders: readonly LinkOrder[], ports: Ports): Promise<void> {
  let failed = 0;
  for (const order of orders) {
    await resumeLink(order, ports).catch(() => {
      failed += 1;
    });
  }
  if (failed > 0) throw temporarilyUnavailable(NOT_WRITTEN);
  await reached(PENDING_LINKS, await ports.log.end(), ports.readModels);
}

async function reached(projection: string, position: Position | null, readModels: Ports['readModels']): Promise<void> {
  if (position === null || (await readModels.caughtUp(projection, position))) return;
  throw temporarilyUnavailable('Earlier writes, on which links to the artifact depend, are not shown yet; retry later');
}
