import { expect } from 'chai';
import { type ExpiringCounters } from '../../src/core/expiring-counters.js';
import { Problem } from '../../src/core/problem.js';
import { memoryCounters } from '../../src/stores/memory/counters.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { signInThrottle, type SignInThrottle } from '../../src/authentication/sign-in-throttle.js';

const MINUTE = 60_000;

describe('failed sign-ins', () => {
  let now: number;
  let counters: ExpiringCounters;
  let signIns: SignInThrottle;
  /** Another process, which has the counters in common. */
  let elsewhere: SignInThrottle;
  beforeEach(() => {
    now = Date.parse('2026-03-01T10:00:00.000Z');
    const clock = (): Date => new Date(now);
    counters = memoryCounters(clock);
    signIns = signInThrottle(counters, clock);
    elsewhere = signInThrottle({ ...counters }, clock);
  });

  type Outcome = 'in' | 'failed' | number;

  const password = (right: boolean, account: string) => ({
    known: () => null,
    check: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return right ? account : null;
    },
  });
  /** A number is the time to wait, in seconds. */
  const attempt = async (
    right: boolean,
    account = 'bob',
    address = '192.0.2.1',
    through = signIns,
  ): Promise<Outcome> => {
    try {
      const result = await through.attempt(account, address, password(right, account));
      return result === null ? 'failed' : 'in';
    } catch (error) {
      return waitOf(error);
    }
  };
  const waitOf = (error: unknown): number => {
    if (error instanceof Problem && error.kind === 'too-many') return error.retryAfter ?? Number.NaN;
    throw error;
  };
  const fail = async (times: number, account?: string, address?: string): Promise<void> => {
    for (let time = 0; time < times; time += 1) expect(await attempt(false, account, address)).to.equal('failed');
  };

  it('tell of each attempt that has to wait, and of no other', async () => {
    const told: string[][] = [];
    const clock = (): Date => new Date(now);
    const telling = signInThrottle(counters, clock, (...throttled) => told.push(throttled));
    await fail(10);
    expect(await attempt(true, 'ann', '192.0.2.1', telling)).to.equal('in');
    expect(told).to.deep.equal([]);
    expect(await attempt(true, 'bob', '192.0.2.1', telling)).to.equal(900);
    expect(told).to.deep.equal([['bob', '192.0.2.1']]);
  });

  it('count all IPv6 addresses of a client’s /64 as one, and no others', async () => {
    for (let host = 1; host <= 10; host += 1) await fail(1, 'bob', `2001:db8:1:2::${host.toString(16)}`);
    expect(await attempt(true, 'bob', '2001:db8:1:2:ffff:ffff:ffff:ffff')).to.equal(900);
    expect(await attempt(true, 'bob', '2001:DB8:0001:0002::1')).to.equal(900);
    expect(await attempt(true, 'bob', '2001:db8:1:3::1')).to.equal('in');
    for (let account = 0; account < 90; account += 1) {
      await fail(1, `user ${account}`, `2001:db8:1:2:${account.toString(16)}::1`);
    }
    expect(await attempt(true, 'carol', '2001:db8:1:2::abcd')).to.equal(900);
    expect(await attempt(true, 'carol', '2001:db8:1:1::abcd')).to.equal('in');
  });

  it('stop the eleventh try of an account from an address, right or wrong', async () => {
    await fail(10);
    expect(await attempt(false)).to.equal(900);
    expect(await attempt(true)).to.equal(900);
    expect(await attempt(true, 'BOB')).to.equal(900);
    expect(await attempt(true, 'bob', '192.0.2.2')).to.equal('in');
    expect(await attempt(true, 'ann')).to.equal('in');
  });

  it('are each remembered for 15 minutes', async () => {
    await fail(4);
    now += 5 * MINUTE;
    await fail(6);
    now += 10 * MINUTE - 1;
    expect(await attempt(true)).to.equal(0.001);
    now += 1;
    await fail(4);
    expect(await attempt(true)).to.equal(300);
  });

  it('are forgiven by a success, from its address only', async () => {
    await fail(9);
    await fail(9, 'bob', '192.0.2.2');
    expect(await attempt(true)).to.equal('in');
    await fail(10);
    await fail(1, 'bob', '192.0.2.2');
    expect(await attempt(true, 'bob', '192.0.2.2')).to.equal(900);
  });

  it('are forgiven by what is known to be right, too', async () => {
    await fail(9);
    const known = { known: () => 'bob', check: () => Promise.resolve(null) };
    expect(await signIns.attempt('bob', '192.0.2.1', known)).to.equal('bob');
    await fail(10);
    expect(await attempt(true)).to.equal(900);
  });

  it('still count for their address and for their account after a success', async () => {
    for (let name = 0; name < 20; name += 1) {
      await fail(5, `user${name}`);
      expect(await attempt(true, 'own')).to.equal(name < 19 ? 'in' : 900);
    }
    for (let host = 0; host < 20; host += 1) {
      await fail(5, 'bob', `198.51.100.${host}`);
      expect(await attempt(true, 'bob', '203.0.113.1')).to.equal(host < 19 ? 'in' : 900);
    }
  });

  it('stop the 101st of one account from anywhere', async () => {
    for (let host = 0; host < 20; host += 1) await fail(5, 'bob', `192.0.2.${host}`);
    expect(await attempt(true, 'bob', '198.51.100.1')).to.equal(900);
    expect(await attempt(true, 'ann', '192.0.2.1')).to.equal('in');
  });

  it('stop the 101st of one address as anyone', async () => {
    for (let name = 0; name < 20; name += 1) await fail(5, `user${name}`);
    expect(await attempt(true, 'bob')).to.equal(900);
    expect(await attempt(true, 'bob', '192.0.2.2')).to.equal('in');
  });

  it('are no more when many come at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => attempt(false)));
    expect(outcomes.filter((outcome) => outcome === 'failed')).to.have.length(10);
    expect(outcomes.filter((outcome) => outcome === 900)).to.have.length(40);
  });

  it('are no more when many come at once to two processes', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        attempt(false, undefined, undefined, index % 2 === 0 ? signIns : elsewhere),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'failed')).to.have.length(10);
    expect(outcomes.filter((outcome) => outcome === 900)).to.have.length(50);
  });

  it('are no more when many accounts are tried at once from one address', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        attempt(false, `user${index}`, undefined, index % 2 === 0 ? signIns : elsewhere),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'failed')).to.have.length(100);
    expect(outcomes.filter((outcome) => outcome === 900)).to.have.length(50);
  });

  it('do not count what could not be decided', async () => {
    const broken = { known: () => null, check: () => Promise.reject(new Error('no answer')) };
    for (let time = 0; time < 30; time += 1) {
      expect(await rejection(signIns.attempt('bob', '192.0.2.1', broken))).to.have.property('message', 'no answer');
    }
    await fail(10);
    expect(await attempt(true)).to.equal(900);
  });

  it('let in what is known to be right while others are under way, but not beyond a limit', async () => {
    let decide = (): void => undefined;
    const decided = new Promise<null>((resolve) => {
      decide = () => {
        resolve(null);
      };
    });
    const slow = { known: () => null, check: () => decided };
    const known = { known: () => 'bob', check: () => Promise.resolve(null) };
    const tries = Array.from({ length: 10 }, () => signIns.attempt('bob', '192.0.2.1', slow));
    expect(await elsewhere.attempt('bob', '192.0.2.1', known)).to.equal('bob');
    decide();
    expect(new Set(await Promise.all(tries))).to.deep.equal(new Set([null]));
    expect(await rejection(elsewhere.attempt('bob', '192.0.2.1', known))).to.include({ kind: 'too-many' });
  });

  it('of a process that was killed amid ten tries are out of the way after half a minute', async () => {
    const begun = Array.from({ length: 10 }, () => {
      return new Promise<null>((begin) => {
        const check = (): Promise<null> => {
          begin(null);
          return new Promise(() => undefined);
        };
        void elsewhere.attempt('bob', '192.0.2.1', { known: () => null, check });
      });
    });
    await Promise.all(begun);
    const waiting = attempt(true);
    const first = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 100, 'waits'))]);
    expect(first).to.equal('waits');
    now += MINUTE / 2;
    expect(await waiting).to.equal('in');
  });

  it('that have waited too long for their turn are refused, and do not ask the counters in vain', async () => {
    const time = performance.now.bind(performance);
    let asked = 0;
    let fail = (): void => undefined;
    const unanswered = new Promise<never>((_, reject) => {
      fail = () => {
        reject(new Error('no answer'));
      };
    });
    const counts = () => {
      asked += 1;
      return unanswered;
    };
    const hanging = signInThrottle({ ...counters, counts }, () => new Date(now));
    const tries = Array.from({ length: 3 }, () =>
      rejection(hanging.attempt('bob', '192.0.2.1', password(true, 'bob'))),
    );
    await new Promise((resolve) => setImmediate(resolve));
    performance.now = () => time() + 5001;
    try {
      fail();
      const [first, ...others] = await Promise.all(tries);
      expect(first).to.have.property('message', 'no answer');
      for (const other of others) expect(other).to.include({ kind: 'unavailable', retryAfter: 2 });
      expect(asked).to.equal(1);
    } finally {
      performance.now = time;
    }
  });

  it('do not stop many right ones at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        attempt(true, undefined, undefined, index % 2 === 0 ? signIns : elsewhere),
      ),
    );
    expect(new Set(outcomes)).to.deep.equal(new Set(['in']));
  });
});
