import { expect } from 'chai';
import fc from 'fast-check';
import { PermanentError, retry, retryUntil, type Timers } from '../../../src/core/concurrency/retry.js';
import { whileClockIsSetAhead } from '../../support/clock-set-ahead.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';

/** Pauses that are over at once, on a clock that they move. */
function fakeTimers(): Timers & { readonly pauses: number[]; readonly pass: (ms: number) => void } {
  let now = 0;
  const pauses: number[] = [];
  return {
    pauses,
    now: () => now,
    pass: (ms) => {
      now += ms;
    },
    wait: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
      now += ms;
      // Lets the time-out of a spec come, should it go on for ever.
      await new Promise(setImmediate);
    },
  };
}

const never = new AbortController().signal;
const untold = (): void => undefined;

describe('work that is tried again', () => {
  /** Fails so many times first. */
  const failing = (times: number): (() => Promise<string>) => {
    let tries = 0;
    return () => ((tries += 1) <= times ? Promise.reject(new Error(`try ${tries}`)) : Promise.resolve('done'));
  };

  it('succeeds after pauses that double from a tenth of a second up to five, each told beforehand', async () => {
    const timers = fakeTimers();
    const told: unknown[] = [];
    const onRetry = (error: unknown, pauseMs: number): void => {
      told.push([(error as Error).message, pauseMs, timers.pauses.length]);
    };
    expect(await retry(failing(8), never, onRetry, timers)).to.equal('done');
    expect(timers.pauses).to.deep.equal([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(told).to.deep.equal(timers.pauses.map((ms, index) => [`try ${index + 1}`, ms, index]));
  });

  it('pauses briefly again after progress', async () => {
    const timers = fakeTimers();
    const fail = failing(6);
    const work = (progressed: () => void): Promise<string> => {
      if (timers.pauses.length === 4) progressed();
      return fail();
    };
    await retry(work, never, untold, timers);
    expect(timers.pauses).to.deep.equal([100, 200, 400, 800, 100, 200]);
  });

  it('ends with an error that another try would only repeat', async () => {
    const timers = fakeTimers();
    const error = new (class extends PermanentError {})('no use');
    expect(await rejection(retry(() => Promise.reject(error), never, untold, timers))).to.equal(error);
    expect(timers.pauses).to.deep.equal([]);
  });

  it('ends with the reason of the signal: before a try, during one, and in a pause', async () => {
    const reason = new Error('over');
    expect(await rejection(retry(failing(0), AbortSignal.abort(reason), untold))).to.equal(reason);

    const during = new AbortController();
    const work = (): Promise<never> => {
      during.abort(reason);
      return Promise.reject(new Error('cut off'));
    };
    expect(await rejection(retry(work, during.signal, untold))).to.equal(reason);

    const pausing = new AbortController();
    const onRetry = (): void => {
      pausing.abort(reason);
    };
    const failed = await rejection(retry(failing(1), pausing.signal, onRetry));
    expect((failed as Error).cause).to.equal(reason);
  });
});

describe('what is tried until it is there', () => {
  /** What is there after so many tries, each of which takes a while. */
  const there = (timers: ReturnType<typeof fakeTimers>, after: number, tryMs: number) => {
    let tries = 0;
    return {
      tries: () => tries,
      attempt: () => {
        timers.pass(tryMs);
        return Promise.resolve((tries += 1) > after ? tries : null);
      },
    };
  };

  const patience = fc.record({
    patienceMs: fc.integer({ min: 0, max: 5000 }),
    fewestTries: fc.integer({ min: 1, max: 10 }),
    firstPauseMs: fc.integer({ min: 1, max: 100 }),
    longestPauseMs: fc.integer({ min: 100, max: 1000 }),
  });

  it('is found as long as patience lasts or tries are left, and tried no more after both', async () => {
    await fc.assert(
      fc.asyncProperty(patience, fc.nat(50), fc.integer({ min: 0, max: 500 }), async (given, after, tryMs) => {
        const timers = fakeTimers();
        const { attempt, tries } = there(timers, after, tryMs);
        const result = await retryUntil(attempt, given, timers);
        const isOver = timers.now() >= given.patienceMs && tries() >= given.fewestTries;
        if (result === null) expect(isOver).to.equal(true);
        else expect(result).to.equal(after + 1);
        // Before the last try, one of both was left.
        const before = timers.now() - tryMs - (timers.pauses.at(-1) ?? 0);
        if (tries() > 1) expect(before < given.patienceMs || tries() - 1 < given.fewestTries).to.equal(true);
      }),
    );
  });

  it('is given pauses that are random, and may double from the first up to the longest', async () => {
    await fc.assert(
      fc.asyncProperty(patience, async (given) => {
        const timers = fakeTimers();
        await retryUntil(there(timers, 20, 0).attempt, { ...given, fewestTries: 30 }, timers);
        expect(timers.pauses).to.have.length(20);
        for (const [index, ms] of timers.pauses.entries()) {
          expect(ms).to.be.within(0, Math.min(given.firstPauseMs * 2 ** index, given.longestPauseMs));
        }
      }),
    );
  });

  it('is waited for from the moment that is named', async () => {
    const timers = fakeTimers();
    timers.pass(20_000);
    const { attempt, tries } = there(timers, 1, 0);
    expect(await retryUntil(attempt, { since: 10_000 }, timers)).to.equal(null);
    expect(tries()).to.equal(1);
    expect(await retryUntil(attempt, { since: 10_000 }, timers)).to.equal(2);
  });

  it('is waited for although the clock is set ahead meanwhile', async () => {
    const timers = fakeTimers();
    const patient = { patienceMs: 10_000, firstPauseMs: 1, longestPauseMs: 1 };
    expect(await whileClockIsSetAhead(() => retryUntil(there(timers, 3, 0).attempt, patient))).to.equal(4);
  });

  it('is not waited for after an error', async () => {
    const wrong = new Error('wrong');
    expect(await rejection(retryUntil(() => Promise.reject(wrong)))).to.equal(wrong);
  });
});
