import { expect } from 'chai';
import { inPieces, othersTurn, type Steps } from '../../../src/core/concurrency/others-turn.js';
import { turns } from '../../support/turns.js';

describe('long works on one thread', () => {
  it('run one in each turn of the event loop, in the order of their calls', async () => {
    const loop = turns();
    const steps: { readonly work: number; readonly turn: number }[] = [];
    const work = async (number: number): Promise<void> => {
      for (let step = 0; step < 5; step += 1) {
        await othersTurn();
        steps.push({ work: number, turn: loop.count() });
      }
    };
    await Promise.all([1, 2, 3].map(work));
    loop.stop();
    expect(steps.map((step) => step.work)).to.deep.equal([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    expect(new Set(steps.map(({ turn }) => turn)).size).to.equal(steps.length);
  });

  it('continue if a new one arrives while none waits', async () => {
    await othersTurn();
    await othersTurn();
  });
});

describe('long work in steps', () => {
  function* steps(count: number): Steps<number> {
    for (let step = 0; step < count; step += 1) yield;
    if (count === 0) throw new RangeError('nothing to do');
    return count;
  }

  it('lets other work run between its steps, and returns its result', async () => {
    const loop = turns();
    expect(await inPieces(steps(20_000))).to.equal(20_000);
    loop.stop();
    expect(loop.count()).to.be.within(5, 20);
  });

  it('does not yield if it is short', async () => {
    const loop = turns();
    expect(await inPieces(steps(100))).to.equal(100);
    loop.stop();
    expect(loop.count()).to.equal(0);
  });

  it('fails with the error of a step', async () => {
    expect(await inPieces(steps(0)).catch((error: unknown) => error)).to.be.instanceOf(RangeError);
  });
});
