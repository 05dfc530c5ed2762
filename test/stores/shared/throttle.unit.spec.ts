import { expect } from 'chai';
import { throttle } from '../../../src/stores/shared/throttle.js';

describe('throttled work', () => {
  let now = 0;
  let done = 0;
  let tidy: () => Promise<void>;
  beforeEach(() => {
    [now, done] = [0, 0];
    tidy = throttle(
      () => new Date(now),
      1000,
      () => {
        done += 1;
        return Promise.resolve();
      },
    );
  });

  it('is done once in each interval', async () => {
    for (now of [0, 999, 1000, 1999, 2000]) await tidy();
    expect(done).to.equal(3);
  });

  it('is done again after a clock that was ahead is set right', async () => {
    for (now of [1_000_000, 0, 999, 1000]) await tidy();
    expect(done).to.equal(3);
  });
});
