import { expect } from 'chai';
import { withLease, LeaseLost, type Leases } from '../../src/core/lease.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';

const { signal } = new AbortController();

describe('work under a lease', () => {
  const leased = () => {
    const losing = new AbortController();
    const released: string[] = [];
    const leases: Leases = {
      acquire: (name) => {
        const release = () => Promise.resolve(void released.push(name));
        return Promise.resolve({ token: 1, lost: losing.signal, release });
      },
    };
    const lose = (): void => {
      losing.abort(new LeaseLost('tidying'));
    };
    return { leases, released, lose };
  };

  it('is done, and gives the lease back', async () => {
    const { leases, released } = leased();
    expect(await withLease(leases, 'tidying', signal, () => Promise.resolve('done'))).to.equal('done');
    expect(released).to.deep.equal(['tidying']);
  });

  it('gives the lease back also where it fails', async () => {
    const { leases, released } = leased();
    const failure = new Error('no');
    expect(await rejection(withLease(leases, 'tidying', signal, () => Promise.reject(failure)))).to.equal(failure);
    expect(released).to.deep.equal(['tidying']);
  });

  it('fails if the lease was lost before the end, whatever it came to: another one may be doing the same', async () => {
    const { leases, released, lose } = leased();
    const work = (lost: AbortSignal) => {
      lose();
      return Promise.resolve(lost.aborted);
    };
    expect(await rejection(withLease(leases, 'tidying', signal, work))).to.be.instanceOf(LeaseLost);
    expect(released).to.deep.equal(['tidying']);
  });
});
