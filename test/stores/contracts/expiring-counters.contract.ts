/** What all counters have to do. */
import { expect } from 'chai';
import { type Clock } from '../../../src/core/clock.js';
import { type ExpiringCounters } from '../../../src/core/expiring-counters.js';

export interface OpenedCounters {
  readonly counters: ExpiringCounters;
  readonly close: () => Promise<void>;
}

export function itKeepsTheCountersContract(open: (clock: Clock) => Promise<OpenedCounters>): void {
  let now: number;
  let opened: OpenedCounters;
  let counters: ExpiringCounters;
  beforeEach(async () => {
    now = 1_000_000;
    opened = await open(() => new Date(now));
    ({ counters } = opened);
  });
  afterEach(() => opened.close());

  const countsOf = async (...keys: string[]) => (await counters.counts(keys)).map(({ count }) => count);

  it('count under each key until each expires', async () => {
    await counters.add(['a', 'b'], new Date(now + 20));
    await counters.add(['a'], new Date(now + 10));
    expect(await counters.counts(['a', 'b', 'c'])).to.deep.equal([
      { count: 2, expiresAt: new Date(now + 10) },
      { count: 1, expiresAt: new Date(now + 20) },
      { count: 0, expiresAt: null },
    ]);
    now += 10;
    expect((await counters.counts(['a']))[0]).to.deep.equal({ count: 1, expiresAt: new Date(1_000_020) });
    now += 10;
    expect((await counters.counts(['a']))[0]).to.deep.equal({ count: 0, expiresAt: null });
  });

  it('start over when cleared', async () => {
    await counters.add(['a', 'b'], new Date(now + 10));
    await counters.clear('a');
    expect(await countsOf('a', 'b')).to.deep.equal([0, 1]);
  });

  it('no longer count a released count, under any of its keys', async () => {
    const takeBack = await counters.add(['a', 'b'], new Date(now + 10));
    await counters.add(['a'], new Date(now + 10));
    await takeBack();
    expect(await countsOf('a', 'b')).to.deep.equal([1, 0]);
    await takeBack();
    expect(await countsOf('a', 'b')).to.deep.equal([1, 0]);
  });

  it('keep later counts if the released one was cleared or has expired', async () => {
    const cleared = await counters.add(['a'], new Date(now + 10));
    await counters.clear('a');
    const expired = await counters.add(['b'], new Date(now + 5));
    now += 5;
    await counters.add(['a', 'b'], new Date(now + 5));
    await cleared();
    await expired();
    expect(await countsOf('a', 'b')).to.deep.equal([1, 1]);
    await (
      await counters.add([], new Date(now + 5))
    )();
    expect(await countsOf('a', 'b')).to.deep.equal([1, 1]);
  });

  it('answer in the order of the keys', async () => {
    await counters.add(['a'], new Date(now + 10));
    expect(await countsOf('b', 'a', 'c', 'a')).to.deep.equal([0, 1, 0, 1]);
    expect(await countsOf()).to.deep.equal([]);
  });

  it('count each of many at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => counters.add(['a', 'b'], new Date(now + 10))));
    expect(await countsOf('a', 'b')).to.deep.equal([20, 20]);
  });

  it('separate similar keys', async () => {
    await counters.add(['a'], new Date(now + 10));
    await counters.add([], new Date(now + 10));
    expect(await countsOf('A', 'a ', 'á', '', 'a')).to.deep.equal([0, 0, 0, 0, 1]);
  });

  it('leave out what was counted while the clock was ahead of time by more than an hour', async () => {
    const HOUR = 60 * 60 * 1000;
    now += 48 * HOUR;
    await counters.add(['a'], new Date(now + 10));
    expect(await countsOf('a')).to.deep.equal([1]);
    now -= 48 * HOUR;
    await counters.add(['a'], new Date(now + HOUR));
    expect(await counters.counts(['a'])).to.deep.equal([{ count: 1, expiresAt: new Date(now + HOUR) }]);
  });

  it('go on counting long after', async () => {
    await counters.add(['a'], new Date(now + 10));
    now += 24 * 60 * 60 * 1000;
    await counters.add(['a'], new Date(now + 10));
    expect(await counters.counts(['a'])).to.deep.equal([{ count: 1, expiresAt: new Date(now + 10) }]);
  });
}
