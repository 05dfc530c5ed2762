import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrencyLimit, type ConcurrencyLimitOptions } from '../../../src/core/concurrency/concurrency-limit.js';

const OPTIONS: ConcurrencyLimitOptions = {
  fewest: 2,
  most: 2,
  slowMs: 60_000,
  mostWaiting: 3,
  patienceMs: 5_000,
  refused: () => new Error('too many at once'),
};

describe('A limit of concurrency', () => {
  /** Works that go on until they are told to end. */
  const works = (options: Partial<ConcurrencyLimitOptions> = {}) => {
    const through = concurrencyLimit({ ...OPTIONS, ...options });
    const begun: (() => void)[] = [];
    const outcomes: string[] = [];
    const enter = (name: string): void => {
      const work = (): Promise<void> =>
        new Promise((resolve) => {
          begun.push(resolve);
          outcomes.push(`${name} begins`);
        });
      void through(work).catch((error: unknown) => {
        expect(error).to.include({ message: 'too many at once' });
        outcomes.push(`${name} is refused`);
      });
    };
    const settled = (): Promise<void> => sleep(0);
    return { through, enter, begun, outcomes, settled };
  };

  it('runs at most its number of works at once, and the others in their order', async () => {
    const { enter, begun, outcomes, settled } = works();
    for (const name of ['a', 'b', 'c', 'd']) enter(name);
    await settled();
    expect(outcomes).to.deep.equal(['a begins', 'b begins']);
    begun[1]!();
    await settled();
    begun[0]!();
    await settled();
    expect(outcomes.slice(2)).to.deep.equal(['c begins', 'd begins']);
  });

  it('refuses a work at once while the queue is full', async () => {
    const { enter, outcomes, settled } = works();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) enter(name);
    await settled();
    expect(outcomes).to.deep.equal(['a begins', 'b begins', 'f is refused']);
  });

  it('refuses exactly the works whose wait exceeds the patience', async () => {
    const { enter, begun, outcomes } = works({ patienceMs: 20 });
    for (const name of ['a', 'b', 'c']) enter(name);
    while (outcomes.length < 3) await sleep(5);
    expect(outcomes[2]).to.equal('c is refused');
    begun[0]!();
    enter('d');
    while (outcomes.length < 4) await sleep(5);
    expect(outcomes[3]).to.equal('d begins');
  });

  it('runs the next work after a failed one', async () => {
    const { through } = works({ fewest: 1, most: 1 });
    const failed = await through(() => Promise.reject(new Error('no'))).catch((error: unknown) => error);
    expect(failed).to.include({ message: 'no' });
    expect(await through(() => Promise.resolve(7))).to.equal(7);
  });

  it('lowers its limit while works are slow, and raises it afterwards', async () => {
    const { through } = works({ fewest: 1, most: 10, slowMs: 5, mostWaiting: 100 });
    let underWay = 0;
    const mostOf = async (count: number, work: () => Promise<unknown>): Promise<number> => {
      let most = 0;
      const one = async (): Promise<void> => {
        underWay += 1;
        most = Math.max(most, underWay);
        await work();
        underWay -= 1;
      };
      await Promise.all(Array.from({ length: count }, () => through(one)));
      return most;
    };
    expect(await mostOf(30, () => sleep(10))).to.equal(10);
    expect(await mostOf(20, () => sleep(10))).to.be.at.most(2);
    // A pause of the machine makes one of them slow.
    let most = 0;
    for (let tries = 20; tries > 0 && most < 10; tries -= 1) most = await mostOf(100, () => Promise.resolve());
    expect(most).to.equal(10);
  });

  it('begins nothing for one who has left before, and lets none wait', async () => {
    const through = concurrencyLimit({ ...OPTIONS, patienceMs: 100 });
    const ends: (() => void)[] = [];
    const leftBefore = (): Promise<unknown> =>
      through(() => Promise.resolve(), AbortSignal.abort(new Error('left'))).catch((reason: unknown) => reason);
    expect(await leftBefore()).to.include({ message: 'left' });
    const underWay = [1, 2].map(() => through(() => new Promise<void>((end) => ends.push(end))));
    const error = await leftBefore();
    for (const end of ends) end();
    await Promise.all(underWay);
    expect(error).to.include({ message: 'left' });
  });
});
