import { expect } from 'chai';
import { othersTurn } from '../../src/core/others-turn.js';

/** Counts the turns of the event loop, until it is stopped. */
function turns(): { readonly count: () => number; readonly stop: () => void } {
  let [count, isOver] = [0, false];
  const next = (): void => {
    count += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return { count: () => count, stop: () => (isOver = true) };
}

describe('long works that give others their turn', () => {
  it('go on one in each turn of the event loop, in the order in which they came', async () => {
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

  it('go on, too, when one comes while no other waits', async () => {
    await othersTurn();
    await othersTurn();
  });
});
