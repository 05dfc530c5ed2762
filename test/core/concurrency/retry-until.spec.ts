import { expect } from 'chai';
import { patiently } from '../../../src/core/concurrency/retry-until.js';
import { Problem } from '../../../src/core/problem.js';
import { whileClockIsSetAhead } from '../../support/clock-set-ahead.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';

describe('patience', () => {
  it('tries until there is a result, after a pause each time', async () => {
    let tries = 0;
    const began = performance.now();
    expect(await patiently(() => Promise.resolve((tries += 1) < 4 ? null : tries), 'busy')).to.equal(4);
    expect(performance.now() - began).to.be.above(10);
  });

  it('tries on although the clock is set ahead meanwhile', async () => {
    let tries = 0;
    const late = (): Promise<number | null> => Promise.resolve((tries += 1) < 4 ? null : tries);
    expect(await whileClockIsSetAhead(() => patiently(late, 'busy'))).to.equal(4);
  });

  it('ends after ten seconds, with a word of when to come again', async () => {
    let tries = 0;
    const busy = (): Promise<null> => {
      tries += 1;
      return Promise.resolve(null);
    };
    const error = await rejection(patiently(busy, 'busy', performance.now() - 10_001));
    expect(error).to.be.instanceOf(Problem).and.include({ kind: 'unavailable', message: 'busy', retryAfter: 2 });
    expect(tries).to.equal(1);
  });

  it('takes a result, however late', async () => {
    expect(await patiently(() => Promise.resolve('there'), 'busy', performance.now() - 60_000)).to.equal('there');
  });

  it('ends with the error of a try', async () => {
    const wrong = new Error('wrong');
    expect(await rejection(patiently(() => Promise.reject(wrong), 'busy'))).to.equal(wrong);
  });
});
