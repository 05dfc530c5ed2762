import { expect } from 'chai';
import { passes } from '../../../src/core/concurrency/pause.js';

const LONG_MS = 600_000;

describe('a pause', () => {
  it('passes', async () => {
    const began = performance.now();
    expect(await passes(20, new AbortController().signal)).to.equal(true);
    expect(performance.now() - began).to.be.at.least(19);
  });

  it('is cut short by the signal', async () => {
    const ending = new AbortController();
    const pause = passes(LONG_MS, ending.signal);
    ending.abort();
    expect(await pause).to.equal(false);
  });

  it('does not begin after the signal', async () => {
    expect(await passes(LONG_MS, AbortSignal.abort())).to.equal(false);
  });
});
