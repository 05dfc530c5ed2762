import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { positionWaiters, type PositionWaiters } from '../../../src/stores/shared/position-waiters.js';
import { at } from '../contracts/read-models-fixture.js';

const PROJECTION = 'artifacts';
const PATIENCE_MS = 300;

describe('who waits for a projection', () => {
  let waiters: PositionWaiters;
  let position: number;

  beforeEach(() => {
    waiters = positionWaiters();
    position = 0;
  });

  /** Event by event, until it holds. */
  const getsFurther = async (until: () => boolean): Promise<void> => {
    while (!until()) {
      waiters.reached(PROJECTION, at((position += 1)));
      await sleep(5);
    }
  };

  it('goes on waiting as long as the projection gets further', async () => {
    const waiting = waiters.wait(PROJECTION, at(1_000_000), PATIENCE_MS);
    const began = performance.now();
    await getsFurther(() => performance.now() - began > 3 * PATIENCE_MS);
    waiters.reached(PROJECTION, at(1_000_000));
    expect(await waiting).to.equal(true);
  });

  it('knows without patience how far the projection is', async () => {
    waiters.reached(PROJECTION, at(2));
    expect(await waiters.wait(PROJECTION, at(2), 0)).to.equal(true);
    expect(await waiters.wait(PROJECTION, at(3), 0)).to.equal(false);
  });

  it('times out if the projection makes no progress, even while another one does', async () => {
    waiters.reached('users', at(1));
    let isOver = false;
    const waiting = waiters.wait('users', at(2), 50).finally(() => (isOver = true));
    await getsFurther(() => isOver);
    expect(await waiting).to.equal(false);
  });

  it('gives up in the end, though the projection gets further', async () => {
    let isOver = false;
    const waiting = waiters.wait(PROJECTION, at(1_000_000), 50).finally(() => (isOver = true));
    await getsFurther(() => isOver);
    expect(await waiting).to.equal(false);
  });
});
