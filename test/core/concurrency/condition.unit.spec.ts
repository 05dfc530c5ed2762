import { expect } from 'chai';
import { condition } from '../../../src/core/concurrency/condition.js';

describe('the wait for a condition', () => {
  it('ends at once if the condition holds', async () => {
    const { until, waiting: waiters } = condition();
    const waiting = until(() => true, { patienceMs: 0, signal: AbortSignal.abort() });
    expect(waiters()).to.equal(0);
    expect(await waiting).to.equal(true);
  });

  it('ends at a notify for each waiter whose condition holds, and for no other', async () => {
    const { until, notify, waiting: waiters } = condition();
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
    expect(waiters()).to.equal(1);
    count = 3;
    notify();
    await waiting[0];
    expect(waiters()).to.equal(0);
  });

  it('ends in order up to the first whose condition does not hold', async () => {
    const { until, notifyInOrder, waiting: waiters } = condition();
    const met: number[] = [];
    let places = 0;
    const takes = (): boolean => places > 0 && (places -= 1) >= 0;
    const all = [1, 2, 3].map((nth) => until(takes).then(() => met.push(nth)));
    const asked: number[] = [];
    const last = until(() => asked.push(places) > 1);
    places = 2;
    notifyInOrder();
    await Promise.all(all.slice(0, 2));
    expect(met).to.deep.equal([1, 2]);
    expect(waiters()).to.equal(2);
    expect(asked).to.have.length(1);
    places = 1;
    notifyInOrder();
    await Promise.all([...all, last]);
    expect(met).to.deep.equal([1, 2, 3]);
  });

  it('ends with false when its patience is over', async () => {
    const { until, waiting: waiters } = condition();
    expect(await until(() => false, { patienceMs: 1 })).to.equal(false);
    expect(waiters()).to.equal(0);
  });

  it('ends once the signal aborts, and at once if it has aborted before', async () => {
    const { until, waiting: waiters } = condition();
    const ending = new AbortController();
    const waiting = until(() => false, { signal: ending.signal });
    ending.abort();
    expect(waiters()).to.equal(0);
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
