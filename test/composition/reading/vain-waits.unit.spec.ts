import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Position } from '../../../src/core/event-log.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { positionWaiters, type PositionWaiters } from '../../../src/stores/shared/position-waiters.js';
import { watchedWaits } from '../../../src/composition/reading/vain-waits.js';

const [FIRST, SECOND] = ['1', '2'] as Position[];

const waitIn =
  (waiters: PositionWaiters): ReadModels['caughtUp'] =>
  (projection, position, patienceMs = 10) =>
    waiters.wait(projection, position, patienceMs);

describe('a wait for the read models that ends too early', () => {
  it('is told before it resolves, and counts until the read models show the position', async () => {
    const waiters = positionWaiters();
    const closing = new AbortController();
    const { readModels, vainWaits } = watchedWaits({ caughtUp: waitIn(waiters) }, closing.signal);
    const isShown = (position: Position): Promise<boolean> => readModels.caughtUp('artifacts', position, 10);
    const events: string[] = [];
    vainWaits.onVain(async () => {
      await pause(5);
      events.push('told');
    });
    expect(await isShown(FIRST!)).to.equal(false);
    expect(await isShown(SECOND!)).to.equal(false);
    expect([events, vainWaits.isBehind()]).to.deep.equal([['told', 'told'], true]);
    waiters.reached('artifacts', FIRST!);
    await pause(120);
    expect(vainWaits.isBehind()).to.equal(true);
    waiters.reached('artifacts', SECOND!);
    await pause(120);
    expect(vainWaits.isBehind()).to.equal(false);
    expect(await isShown(SECOND!)).to.equal(true);
    expect(events).to.have.length(2);
    closing.abort();
    waiters.close();
  });

  it('counts though an earlier position is shown while it ends', async () => {
    const closing = new AbortController();
    let [meanwhile, isSecondShown] = [(): Promise<unknown> => Promise.resolve(), false];
    const { readModels, vainWaits } = watchedWaits(
      {
        caughtUp: async (_: string, position: Position, patienceMs?: number) => {
          if (position === SECOND) return isSecondShown;
          // The first wait is in vain. Then it is looked for.
          if (patienceMs === 10) return false;
          await meanwhile();
          return true;
        },
      },
      closing.signal,
    );
    meanwhile = () => readModels.caughtUp('artifacts', SECOND!, 10);
    expect(await readModels.caughtUp('artifacts', FIRST!, 10)).to.equal(false);
    await pause(120);
    expect(vainWaits.isBehind()).to.equal(true);
    isSecondShown = true;
    await pause(120);
    expect(vainWaits.isBehind()).to.equal(false);
    closing.abort();
  });

  it('is not told, and does not count, if no client waits', async () => {
    const waiters = positionWaiters();
    const closing = new AbortController();
    const { unwatched, vainWaits } = watchedWaits({ caughtUp: waitIn(waiters) }, closing.signal);
    let told = 0;
    vainWaits.onVain(() => {
      told += 1;
      return Promise.resolve();
    });
    expect(await unwatched.caughtUp('artifacts', FIRST!, 10)).to.equal(false);
    expect([told, vainWaits.isBehind()]).to.deep.equal([0, false]);
    closing.abort();
    waiters.close();
  });
});
