import { expect } from 'chai';
import { TransientError, IdleTimeout } from '../../../src/stores/eventstoredb/errors.js';
import { answerWithin } from '../../../src/stores/eventstoredb/retry.js';
import { rejection } from '../contracts/event-log-fixture.js';

const LONG_MS = 60_000;
const never = new Promise<never>(() => undefined);

describe('the time that a call of EventStoreDB has', () => {
  it('ends in silence, whether the service or the client looks at its clock first', async () => {
    expect(await rejection(answerWithin(1, never, new AbortController().signal))).to.be.instanceOf(IdleTimeout);
    const deadline = Object.assign(new Error('4 DEADLINE_EXCEEDED: Deadline exceeded after 0.499s'), { code: 4 });
    const ended = answerWithin(LONG_MS, Promise.reject(deadline), new AbortController().signal);
    expect(await rejection(ended)).to.be.instanceOf(IdleTimeout);
  });

  it('ends with the answer, with what the client says, and with the connection', async () => {
    expect(await answerWithin(LONG_MS, Promise.resolve(7), new AbortController().signal)).to.equal(7);
    const refused = Object.assign(new Error('7 PERMISSION_DENIED'), { code: 7 });
    expect(await rejection(answerWithin(LONG_MS, Promise.reject(refused), new AbortController().signal))).to.equal(
      refused,
    );
    const connection = new AbortController();
    const lost = answerWithin(LONG_MS, never, connection.signal);
    connection.abort(new TransientError('replaced'));
    expect(await rejection(lost))
      .to.be.instanceOf(TransientError)
      .with.property('message', 'replaced');
  });
});
