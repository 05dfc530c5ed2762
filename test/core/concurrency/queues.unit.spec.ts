import { expect } from 'chai';
import fc from 'fast-check';
import { enqueue } from '../../../src/core/concurrency/keyed-queue.js';
import { serialQueue } from '../../../src/core/concurrency/serial-queue.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';

interface Given {
  readonly key: string;
  /** In turns of the event loop. */
  readonly lasts: number;
  readonly fails: boolean;
}

const works = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), lasts: fc.nat(3), fails: fc.boolean() }), {
  maxLength: 20,
});

/** Hands the works in at once, and answers what began and ended, in order, and what each came to. */
async function done(given: readonly Given[], handIn: (key: string, work: () => Promise<number>) => Promise<number>) {
  const steps: { readonly key: string; readonly index: number; readonly step: 'begins' | 'ends' }[] = [];
  const results = await Promise.allSettled(
    given.map(({ key, lasts, fails }, index) =>
      handIn(key, async () => {
        steps.push({ key, index, step: 'begins' });
        for (let turn = 0; turn < lasts; turn += 1) await new Promise(setImmediate);
        steps.push({ key, index, step: 'ends' });
        if (fails) throw new Error(`${index}`);
        return index;
      }),
    ),
  );
  const outcomes = results.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message));
  expect(outcomes).to.deep.equal(given.map(({ fails }, index) => (fails ? `${index}` : index)));
  return steps;
}

const inOrder = (given: readonly Given[], key?: string) =>
  given.flatMap((one, index) =>
    key === undefined || one.key === key
      ? (['begins', 'ends'] as const).map((step) => ({ key: one.key, index, step }))
      : [],
  );

describe('a serial queue', () => {
  it('runs one work at a time, in order, also after a failed one', async () => {
    await fc.assert(
      fc.asyncProperty(works, async (given) => {
        const queue = serialQueue();
        expect(await done(given, (_, work) => queue(work))).to.deep.equal(inOrder(given));
      }),
    );
  });
});

describe('a keyed queue', () => {
  it('runs one work at a time for each key, in order, also after a failed one', async () => {
    await fc.assert(
      fc.asyncProperty(works, async (given) => {
        const owner = {};
        const steps = await done(given, (key, work) => enqueue(owner, key, work));
        for (const key of ['a', 'b', 'c']) {
          expect(steps.filter((step) => step.key === key)).to.deep.equal(inOrder(given, key));
        }
      }),
    );
  });

  it('blocks neither other keys nor other owners', async () => {
    const owner = {};
    let goOn: () => void = () => undefined;
    const first = enqueue(owner, 'a', () => new Promise<void>((resolve) => (goOn = resolve)));
    const next = enqueue(owner, 'a', () => Promise.reject(new Error('the first goes on')));
    expect(await enqueue(owner, 'b', () => Promise.resolve('other key'))).to.equal('other key');
    expect(await enqueue({}, 'a', () => Promise.resolve('other owner'))).to.equal('other owner');
    goOn();
    await first;
    expect(await rejection(next)).to.be.instanceOf(Error);
  });
});
