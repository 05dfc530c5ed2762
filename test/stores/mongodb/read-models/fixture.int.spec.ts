import { expect } from 'chai';
import { failureOf } from './fixture.js';

describe('a failure that a spec expects', () => {
  it('is what the work was rejected with', async () => {
    const error = new Error('away');
    expect(await failureOf(Promise.reject(error))).to.equal(error);
  });

  it('is missed where nothing fails', async () => {
    const missed = await failureOf(Promise.resolve('done')).then(
      () => null,
      (error: unknown) => error,
    );
    expect(missed).to.be.instanceOf(Error).with.property('message', 'Nothing has failed');
  });
});
