import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { messageBatch } from '../../../projections/workers/message-batch.js';

describe('a batch of messages', () => {
  function batch() {
    const sent: (readonly string[])[] = [];
    return {
      sent,
      ...messageBatch<string>((messages) => {
        sent.push(messages);
      }),
    };
  }

  it('holds the messages of one turn in their order, those of settled promises included', async () => {
    const { sent, add } = batch();
    const other = Promise.resolve().then(async () => {
      add('after one');
      await Promise.resolve();
      add('after two');
    });
    add('at once');
    await other;
    await setImmediate();
    expect(sent).to.deep.equal([['at once', 'after one', 'after two']]);
  });

  it('ends with the turn', async () => {
    const { sent, add } = batch();
    add('first');
    await setImmediate();
    add('second');
    await setImmediate();
    expect(sent).to.deep.equal([['first'], ['second']]);
  });

  it('is sent once where it is flushed before the end of the turn', async () => {
    const { sent, add, flush } = batch();
    add('last');
    flush();
    flush();
    expect(sent).to.deep.equal([['last']]);
    await setImmediate();
    expect(sent).to.deep.equal([['last']]);
  });
});
