import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { memoryCounters } from '../../src/stores/memory-counters.js';
import { failedSignIns, type FailedSignIns } from '../../src/users/failed-sign-ins.js';

const MINUTE = 60_000;

describe('failed sign-ins', () => {
  let now: number;
  let signIns: FailedSignIns;
  beforeEach(() => {
    now = Date.parse('2026-03-01T10:00:00.000Z');
    const clock = (): Date => new Date(now);
    signIns = failedSignIns(memoryCounters(clock), clock);
  });

  type Outcome = 'in' | 'failed' | number;

  /** A number is the time to wait, in seconds. */
  const attempt = async (right: boolean, account = 'bob', address = '192.0.2.1'): Promise<Outcome> => {
    try {
      const result = await signIns.attempt(account, address, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return right ? account : null;
      });
      return result === null ? 'failed' : 'in';
    } catch (error) {
      if (error instanceof Problem && error.kind === 'too-many') return error.retryAfter ?? Number.NaN;
      throw error;
    }
  };
  const fail = async (times: number, account?: string, address?: string): Promise<void> => {
    for (let time = 0; time < times; time += 1) expect(await attempt(false, account, address)).to.equal('failed');
  };

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

  it('do not stop many right ones at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 150 }, () => attempt(true)));
    expect(new Set(outcomes)).to.deep.equal(new Set(['in']));
  });
});
