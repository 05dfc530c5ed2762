import { expect } from 'chai';
import { condition } from '../../../src/core/concurrency/condition.js';

describe('the wait for a condition', () => {
  it('ends at once if the condition holds', async () => {
    const { until, isWaitedFor } = condition();
    const waiting = until(() => true, { patienceMs: 0, signal: AbortSignal.abort() });
    expect(isWaitedFor()).to.equal(false);
    expect(await waiting).to.equal(true);
  });

  it('ends at a notify for each waiter whose condition holds, and for no other', async () => {
    const { until, notify, isWaitedFor } = condition();
    const met: number[] = [];
    let count = 0;
    const waiting = [3, 1, 2].map((most) => until(() => count >= most).then(() => met.push(most)));
    notify();
    count = 2;
    await Promise.resolve();
    expect(met).to.deep.equal([]);
    notify();
    await Promise.all(waiting.slice(1));
    expect(met).to.deep.equal([1, 2]);
    expect(isWaitedFor()).to.equal(true);
    count = 3;
    notify();
    await waiting[0];
    expect(isWaitedFor()).to.equal(false);
  });

  it('ends with false when its patience is over', async () => {
    const { until, isWaitedFor } = condition();
    expect(await until(() => false, { patienceMs: 1 })).to.equal(false);
    expect(isWaitedFor()).to.equal(false);
  });

  it('ends once the signal aborts, and at once if it has aborted before', async () => {
    const { until, isWaitedFor } = condition();
    const ending = new AbortController();
    const waiting = until(() => false, { signal: ending.signal });
    ending.abort();
    expect(isWaitedFor()).to.equal(false);
    expect(await waiting).to.equal(false);
    expect(await until(() => false, { signal: ending.signal })).to.equal(false);
  });

  it('evaluates the condition no more after its end', async () => {
    const { until, notify } = condition();
    let asked = 0;
    const met = until(() => (asked += 1) > 1);
    notify();
    notify();
    await met;
    expect(asked).to.equal(2);
  });
});
