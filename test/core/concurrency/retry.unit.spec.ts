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

describe('retried work', () => {
  /** Fails so many times first. */
  const failing = (times: number): (() => Promise<string>) => {
    let tries = 0;
    return () => ((tries += 1) <= times ? Promise.reject(new Error(`try ${tries}`)) : Promise.resolve('done'));
  };

  it('succeeds after pauses that double from a tenth of a second up to five, each reported beforehand', async () => {
    const timers = fakeTimers();
    const told: unknown[] = [];
    const onRetry = (error: unknown, pauseMs: number): void => {
      told.push([(error as Error).message, pauseMs, timers.pauses.length]);
    };
    expect(await retry(failing(8), never, onRetry, {}, timers)).to.equal('done');
    expect(timers.pauses).to.deep.equal([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(told).to.deep.equal(timers.pauses.map((ms, index) => [`try ${index + 1}`, ms, index]));
  });

  for (const failure of [new Error('cut off'), new PermanentError('cut off')]) {
    it(`ends with the reason of its signal, and tells of no ${failure.name}, where the signal aborts first`, async () => {
      const ending = new AbortController();
      const told: unknown[] = [];
      const work = (): Promise<never> => {
        ending.abort(new Error('the end'));
        return Promise.reject(failure);
      };
      const ended = retry(work, ending.signal, (error) => told.push(error), {}, fakeTimers());
      expect(await rejection(ended)).to.include({ message: 'the end' });
      expect(told).to.deep.equal([]);
    });
  }

  it('pauses briefly again after progress', async () => {
    const timers = fakeTimers();
    const fail = failing(6);
    const work = (progressed: () => void): Promise<string> => {
      if (timers.pauses.length === 4) progressed();
      return fail();
    };
    await retry(work, never, untold, {}, timers);
    expect(timers.pauses).to.deep.equal([100, 200, 400, 800, 100, 200]);
  });

  it('pauses as configured, and fails with the last error when its patience is over', async () => {
    const given = fc.record({
      firstPauseMs: fc.integer({ min: 1, max: 100 }),
      longestPauseMs: fc.integer({ min: 100, max: 1000 }),
      patienceMs: fc.integer({ min: 0, max: 5000 }),
    });
    await fc.assert(
      fc.asyncProperty(given, fc.nat(20), fc.integer({ min: 0, max: 500 }), async (pauses, failures, tryMs) => {
        const timers = fakeTimers();
        const fail = failing(failures);
        const work = (): Promise<string> => {
          timers.pass(tryMs);
          return fail();
        };
        const result = await retry(work, never, untold, pauses, timers).catch((error: unknown) => error);
        const pauseAfter = (tries: number): number =>
          Math.min(pauses.firstPauseMs * 2 ** (tries - 1), pauses.longestPauseMs);
        const tries = timers.pauses.length + 1;
        expect(timers.pauses).to.deep.equal(timers.pauses.map((_, index) => pauseAfter(index + 1)));
        const lasted = timers.now() - tryMs;
        if (result === 'done') expect(tries).to.equal(failures + 1);
        else {
          expect(result).to.have.property('message', `try ${tries}`);
          expect(lasted + pauseAfter(tries)).to.be.at.least(pauses.patienceMs);
        }
        // The last pause was made in the hope that it would end in time.
        if (tries > 1) expect(lasted - tryMs).to.be.below(pauses.patienceMs);
      }),
    );
  });

  it('has its whole patience again after progress', async () => {
    const timers = fakeTimers();
    const fail = failing(9);
    const work = (progressed: () => void): Promise<string> => {
      if (timers.pauses.length % 3 === 2) progressed();
      return fail();
    };
    const given = { firstPauseMs: 10, longestPauseMs: 10, patienceMs: 40 };
    expect(await retry(work, never, untold, given, timers)).to.equal('done');
    const idle = (): Promise<string> => Promise.reject(new Error('away'));
    expect(await rejection(retry(idle, never, untold, given, timers))).to.have.property('message', 'away');
  });

  it('keeps its patience if the clock is set ahead', async () => {
    const given = { firstPauseMs: 1, longestPauseMs: 1, patienceMs: 10_000 };
    expect(await whileClockIsSetAhead(() => retry(failing(3), never, untold, given))).to.equal('done');
  });

  it('ends at once with a permanent error', async () => {
    const timers = fakeTimers();
    const error = new (class extends PermanentError {})('no use');
    expect(await rejection(retry(() => Promise.reject(error), never, untold, {}, timers))).to.equal(error);
    expect(timers.pauses).to.deep.equal([]);
  });

  it("ends with the signal's reason before a try, during a try and in a pause", async () => {
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
    expect(await rejection(retry(failing(1), pausing.signal, onRetry))).to.equal(reason);
  });
});

describe('a look-up that is retried until it succeeds', () => {
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

  it('ends when patience or the number of tries is used up', async () => {
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

  it('has random pauses, which may double from the first up to the longest', async () => {
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

  it('counts its patience from the given moment', async () => {
    const timers = fakeTimers();
    timers.pass(20_000);
    const { attempt, tries } = there(timers, 1, 0);
    expect(await retryUntil(attempt, { since: 10_000 }, timers)).to.equal(null);
    expect(tries()).to.equal(1);
    expect(await retryUntil(attempt, { since: 10_000 }, timers)).to.equal(2);
  });

  it('keeps its patience if the clock is set ahead meanwhile', async () => {
    const timers = fakeTimers();
    const patient = { patienceMs: 10_000, firstPauseMs: 1, longestPauseMs: 1 };
    expect(await whileClockIsSetAhead(() => retryUntil(there(timers, 3, 0).attempt, patient))).to.equal(4);
  });

  it('ends at once with an error', async () => {
    const wrong = new Error('wrong');
    expect(await rejection(retryUntil(() => Promise.reject(wrong)))).to.equal(wrong);
  });
});
