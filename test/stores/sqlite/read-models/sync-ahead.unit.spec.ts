import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { syncAhead } from '../../../../src/stores/sqlite/read-models/sync-ahead.js';

const EVERY_MS = 2;

describe('a write-ahead log that is synced ahead of its checkpoints', () => {
  /** Syncs that end when they are told to. */
  function syncing() {
    const underWay: (() => void)[] = [];
    let begun = 0;
    const sync = (): Promise<void> => {
      begun += 1;
      return new Promise((resolve) => {
        underWay.push(resolve);
      });
    };
    const end = (): void => {
      underWay.shift()?.();
    };
    return { ...syncAhead(sync, EVERY_MS), end, begun: () => begun };
  }
  const later = (): Promise<void> => sleep(10 * EVERY_MS);

  it('is synced once for commits of about the same time', async () => {
    const { committed, begun, end } = syncing();
    committed();
    committed();
    expect(begun()).to.equal(0);
    await later();
    end();
    await later();
    expect(begun()).to.equal(1);
  });

  it('is synced once more for commits that came meanwhile, by one sync at a time', async () => {
    const { committed, begun, end } = syncing();
    committed();
    await later();
    committed();
    committed();
    await later();
    expect(begun()).to.equal(1);
    end();
    await later();
    expect(begun()).to.equal(2);
  });

  it('is synced again after a sync that failed', async () => {
    let tries = 0;
    const { committed } = syncAhead(() => {
      tries += 1;
      return Promise.reject(new Error('The disk is full'));
    }, EVERY_MS);
    committed();
    await later();
    committed();
    await later();
    expect(tries).to.equal(2);
  });

  it('is left alone once it is closed', async () => {
    const { committed, begun, close } = syncing();
    committed();
    close();
    committed();
    await later();
    expect(begun()).to.equal(0);
  });

  it('is not synced again where it is closed during a sync', async () => {
    const { committed, begun, end, close } = syncing();
    committed();
    await later();
    committed();
    close();
    end();
    await later();
    expect(begun()).to.equal(1);
  });
});
