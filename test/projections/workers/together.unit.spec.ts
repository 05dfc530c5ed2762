import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { together } from '../../../projections/workers/together.js';

describe('what is told together', () => {
  function toldTo() {
    const sent: (readonly string[])[] = [];
    return {
      sent,
      ...together<string>((messages) => {
        sent.push(messages);
      }),
    };
  }

  it('is one message for what promises that are settled by now tell, in its order', async () => {
    const { sent, tell } = toldTo();
    const other = Promise.resolve().then(async () => {
      tell('after one');
      await Promise.resolve();
      tell('after two');
    });
    tell('at once');
    await other;
    await setImmediate();
    expect(sent).to.deep.equal([['at once', 'after one', 'after two']]);
  });

  it('is another message in another turn', async () => {
    const { sent, tell } = toldTo();
    tell('first');
    await setImmediate();
    tell('second');
    await setImmediate();
    expect(sent).to.deep.equal([['first'], ['second']]);
  });

  it('is sent at once, and once, where the thread ends', async () => {
    const { sent, tell, flush } = toldTo();
    tell('last');
    flush();
    flush();
    expect(sent).to.deep.equal([['last']]);
    await setImmediate();
    expect(sent).to.deep.equal([['last']]);
  });
});
