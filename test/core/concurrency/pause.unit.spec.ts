import { expect } from 'chai';
import { passes } from '../../../src/core/concurrency/pause.js';

const LONG_MS = 600_000;

describe('a pause', () => {
  it('ends after its time', async () => {
    const began = performance.now();
    expect(await passes(20, new AbortController().signal)).to.equal(true);
    expect(performance.now() - began).to.be.at.least(19);
  });

  it('ends when the signal aborts', async () => {
    const ending = new AbortController();
    const pause = passes(LONG_MS, ending.signal);
    ending.abort();
    expect(await pause).to.equal(false);
  });

  it('ends at once if the signal has aborted before', async () => {
    expect(await passes(LONG_MS, AbortSignal.abort())).to.equal(false);
  });
});
