import { createHook } from 'node:async_hooks';
import { hash } from '@node-rs/argon2';
import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { passwords } from '../../src/authentication/password.js';

const REMEMBERED = { has: () => true, add: () => undefined };
const NFC = 'Pâté';
const NFD = NFC.normalize('NFD');

/** How many runs of argon2 a check takes: jobs of this library have no name. */
async function runsOf(check: () => Promise<unknown>): Promise<number> {
  let runs = 0;
  const counting = createHook({ init: (_, type) => void (runs += Number(type === 'undefined')) }).enable();
  try {
    await check();
    return runs;
  } finally {
    counting.disable();
  }
}

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
    /** Of the processor: other processes add nothing. */
    const timeOf = async (hash: string | null): Promise<number> => {
      const before = process.cpuUsage();
      expect(await checking.verify(hash, 'guess')).to.equal(false);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const fastest = { somebody: Infinity, nobody: Infinity };
    for (let round = 0; round < 8; round += 1) {
      fastest.somebody = Math.min(fastest.somebody, await timeOf(passwordHash));
      fastest.nobody = Math.min(fastest.nobody, await timeOf(null));
    }
    expect(fastest.nobody / fastest.somebody).to.be.within(0.4, 2.5);
  });

  it('are right in each Unicode form of their text', async () => {
    for (const password of [NFC, NFD]) {
      const passwordHash = await checking.hash(password);
      expect(await checking.verify(passwordHash, NFC)).to.equal(true);
      expect(await checking.verify(passwordHash, NFD)).to.equal(true);
      expect(await checking.verify(passwordHash, 'Pate')).to.equal(false);
    }
  });

  it('are right as they were written, where an earlier release hashed them so', async () => {
    const earlier = await hash(NFD);
    expect(await checking.verify(earlier, NFD)).to.equal(true);
    expect(await checking.verify(earlier, NFC)).to.equal(false);
  });

  it('are remembered only if they are right, in each form', async () => {
    for (const passwordHash of [await checking.hash(NFD), await hash(NFD)]) {
      const remembered: string[] = [];
      const memoryOf = (password: string) => ({ has: () => false, add: () => void remembered.push(password) });
      for (const password of [NFD, `${NFD}!`]) await checking.verify(passwordHash, password, memoryOf(password));
      expect(remembered).to.deep.equal([NFD]);
    }
  });

  it('are checked once, and twice if wrong and not in NFC, whether the user exists or not', async () => {
    const passwordHash = await checking.hash(NFC);
    for (const hashed of [passwordHash, null]) {
      expect(await runsOf(() => checking.verify(hashed, 'guess')), `guess ${hashed}`).to.equal(1);
      expect(await runsOf(() => checking.verify(hashed, `${NFC}!`)), `NFC ${hashed}`).to.equal(1);
      expect(await runsOf(() => checking.verify(hashed, `${NFD}!`)), `NFD ${hashed}`).to.equal(2);
    }
    expect(await runsOf(() => checking.verify(passwordHash, NFC))).to.equal(1);
    expect(await runsOf(() => checking.verify(passwordHash, NFD))).to.equal(1);
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
