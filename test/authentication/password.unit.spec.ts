import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { passwords } from '../../src/authentication/password.js';

const REMEMBERED = { has: () => true, add: () => undefined };

describe('passwords', () => {
  const checking = passwords();

  it('are kept as argon2id digests, no two alike', async () => {
    const [first, second] = await Promise.all([checking.hash('secret'), checking.hash('secret')]);
    expect(first).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.to.equal(second);
    expect(await checking.verify(first, 'secret')).to.equal(true);
    expect(await checking.verify(first, 'Secret')).to.equal(false);
  });

  it('are wrong for an unknown user, after the same work', async () => {
    const passwordHash = await checking.hash('secret');
    const timeOf = async (hash: string | null): Promise<number> => {
      const startedAt = performance.now();
      expect(await checking.verify(hash, 'guess')).to.equal(false);
      return performance.now() - startedAt;
    };
    const fastest = { somebody: Infinity, nobody: Infinity };
    for (let round = 0; round < 8; round += 1) {
      fastest.somebody = Math.min(fastest.somebody, await timeOf(passwordHash));
      fastest.nobody = Math.min(fastest.nobody, await timeOf(null));
    }
    expect(fastest.nobody / fastest.somebody).to.be.within(0.4, 2.5);
  });

  it('are wrong for a hash that is none', async () => {
    for (const hash of ['', 'secret', '$argon2id$']) expect(await checking.verify(hash, 'secret')).to.equal(false);
  });

  it('are not checked when the answer is known by then', async () => {
    expect(await checking.verify(null, 'secret', REMEMBERED)).to.equal(true);
  });

  it('are checked two at once, some wait, the rest is refused', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, () => checking.verify(null, 'secret', REMEMBERED)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).to.have.length(300 - 2 - 256);
    for (const outcome of refused) {
      const reason: unknown = outcome.status === 'rejected' && outcome.reason;
      expect(reason).to.be.instanceOf(Problem).and.deep.include({ kind: 'unavailable', retryAfter: 2 });
    }
    expect(await checking.verify(null, 'secret', REMEMBERED)).to.equal(true);
  });
});
