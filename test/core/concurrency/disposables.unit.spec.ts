import { expect } from 'chai';
import fc from 'fast-check';
import { disposables } from '../../../src/core/concurrency/disposables.js';

describe('a list of disposables', () => {
  it('are disposed of one after the other, the last one first, each once, although some fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 10 }), async (fails) => {
        const { add, dispose } = disposables();
        const steps: string[] = [];
        for (const [index, isFailing] of fails.entries()) {
          add(async () => {
            steps.push(`${index} begins`);
            await new Promise(setImmediate);
            steps.push(`${index} ends`);
            if (isFailing) throw new Error(`${index}`);
          });
        }
        const outcomes = await Promise.allSettled([dispose(), dispose()]);
        const expected = [...fails.keys()].reverse().flatMap((index) => [`${index} begins`, `${index} ends`]);
        expect(steps).to.deep.equal(expected);
        expect(outcomes.map(({ status }) => status === 'rejected')).to.deep.equal([fails.includes(true), false]);
      }),
    );
  });
});
