import { expect } from 'chai';
import { timeLeft } from '../../src/cli/progress-bars.js';

describe('the time that is left', () => {
  it('is rounded up to whole seconds, of which a minute has 60', () => {
    const words = [null, 0, 0.2, 59, 59.5, 60, 119.5, 125].map(timeLeft);
    expect(words).to.deep.equal(['?', '0 s', '1 s', '59 s', '1 min 0 s', '1 min 0 s', '2 min 0 s', '2 min 5 s']);
  });
});
