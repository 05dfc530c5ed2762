import { expect } from 'chai';
import { memoryCounters } from '../../src/stores/memory-counters.js';

describe('counters in memory', () => {
  let now = 0;
  const clock = (): Date => new Date(now);
  beforeEach(() => {
    now = 1_000_000;
  });

  it('count under each key until each expires', async () => {
    const counters = memoryCounters(clock);
    await counters.add(['a', 'b'], new Date(now + 20));
    await counters.add(['a'], new Date(now + 10));
    expect(await counters.counts(['a', 'b', 'c'])).to.deep.equal([
      { count: 2, fallsAt: new Date(now + 10) },
      { count: 1, fallsAt: new Date(now + 20) },
      { count: 0, fallsAt: null },
    ]);
    now += 10;
    expect((await counters.counts(['a']))[0]).to.deep.equal({ count: 1, fallsAt: new Date(1_000_020) });
    now += 10;
    expect((await counters.counts(['a']))[0]).to.deep.equal({ count: 0, fallsAt: null });
  });

  it('start over when cleared', async () => {
    const counters = memoryCounters(clock);
    await counters.add(['a', 'b'], new Date(now + 10));
    await counters.clear('a');
    expect((await counters.counts(['a', 'b'])).map(({ count }) => count)).to.deep.equal([0, 1]);
  });

  it('take bounded room, whatever is counted', async () => {
    const counters = memoryCounters(clock, 3);
    for (const key of ['a', 'b', 'c', 'd']) await counters.add([key], new Date(now + 10));
    expect((await counters.counts(['a', 'b', 'c', 'd'])).map(({ count }) => count)).to.deep.equal([0, 1, 1, 1]);
    for (let time = 0; time < 1100; time += 1) await counters.add(['d'], new Date(now + 10));
    expect((await counters.counts(['d']))[0]?.count).to.equal(1000);
  });
});
