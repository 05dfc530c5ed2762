import { expect } from 'chai';
import { memoryCounters } from '../../../src/stores/memory/counters.js';
import { itKeepsTheCountersContract } from '../contracts/expiring-counters.contract.js';

describe('counters in memory', () => {
  itKeepsTheCountersContract((clock) =>
    Promise.resolve({ counters: memoryCounters(clock), close: () => Promise.resolve() }),
  );

  it('take bounded memory for any number of keys', async () => {
    const expiresAt = new Date(10);
    const counters = memoryCounters(() => new Date(0), 3);
    for (const key of ['a', 'b', 'c', 'd']) await counters.add([key], expiresAt);
    expect((await counters.counts(['a', 'b', 'c', 'd'])).map(({ count }) => count)).to.deep.equal([0, 1, 1, 1]);
    for (let time = 0; time < 1100; time += 1) await counters.add(['d'], expiresAt);
    expect((await counters.counts(['d']))[0]?.count).to.equal(1000);
  });
});
