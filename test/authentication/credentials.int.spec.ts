import { expect } from 'chai';
import { Problem } from '../../src/core/problem.js';
import { memoryCounters } from '../../src/stores/memory/counters.js';
import { credentials, type Credentials } from '../../src/authentication/credentials.js';
import { signInThrottle } from '../../src/authentication/sign-in-throttle.js';
import { passwords, type Passwords } from '../../src/authentication/password.js';
import { definitionsOf, PASSWORD, user, world, type World } from '../http/toy-app.js';

describe('credentials', () => {
  let held: World;
  let checking: Credentials;
  let checks: number;
  /** What happens once a check has begun. */
  let meanwhile: () => void;
  beforeEach(() => {
    held = world();
    checks = 0;
    meanwhile = () => undefined;
    const clock = (): Date => held.now;
    const real = passwords();
    const counting: Passwords = {
      ...real,
      verify: (passwordHash, password, memory) =>
        real.verify(passwordHash, password, {
          add: () => memory?.add(),
          has: () => {
            const isKnown = memory?.has() ?? false;
            if (!isKnown) {
              checks += 1;
              meanwhile();
            }
            return isKnown;
          },
        }),
    };
    checking = credentials({
      definitions: definitionsOf(held),
      passwords: counting,
      signInThrottle: signInThrottle(memoryCounters(clock), clock),
      clock,
    });
  });

  const check = async (username: string, password: string): Promise<number | string> => {
    try {
      return (await checking.check(username, password, '192.0.2.1')).id;
    } catch (error) {
      if (error instanceof Problem) return error.kind;
      throw error;
    }
  };

  it('name their user, suspended or not', async () => {
    expect(await check('bob', PASSWORD)).to.equal(115);
    expect(await check('sue', PASSWORD)).to.equal(117);
    expect(await check('bob', 'wrong')).to.equal('bad-credentials');
    expect(await check('nobody', PASSWORD)).to.equal('bad-credentials');
  });

  it('are remembered for a minute when right', async () => {
    for (let time = 0; time < 5; time += 1) expect(await check('bob', PASSWORD)).to.equal(115);
    expect(checks).to.equal(1);
    held.now = new Date(held.now.getTime() + 60_000);
    expect(await check('bob', PASSWORD)).to.equal(115);
    expect(checks).to.equal(2);
  });

  it('are checked once or twice when many come at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => check('bob', PASSWORD)));
    expect(new Set(outcomes)).to.deep.equal(new Set([115]));
    expect(checks).to.be.within(1, 2);
  });

  it('are never remembered when wrong', async () => {
    for (let time = 0; time < 3; time += 1) expect(await check('bob', 'wrong')).to.equal('bad-credentials');
    expect(checks).to.equal(3);
    expect(await check('bob', PASSWORD)).to.equal(115);
  });

  it('are checked again after a change of password', async () => {
    expect(await check('bob', PASSWORD)).to.equal(115);
    held.users = [user(115, 'bob', { passwordHash: await passwords().hash('new') })];
    expect(await check('bob', PASSWORD)).to.equal('bad-credentials');
    expect(await check('bob', 'new')).to.equal(115);
  });

  it('are neither checked nor counted again for whom they were right before', async () => {
    const bob = await checking.check('bob', PASSWORD, '192.0.2.1');
    held.now = new Date(held.now.getTime() + 60 * 60_000);
    held.users = [{ ...bob, status: 'suspended' }];
    expect(checking.recheck(bob).status).to.equal('suspended');
    held.users = [user(115, 'bob', { passwordHash: await passwords().hash('new') })];
    for (let time = 0; time < 11; time += 1) {
      expect(() => checking.recheck(bob))
        .to.throw(Problem)
        .with.property('kind', 'bad-credentials');
    }
    expect(checks).to.equal(1);
    expect(await check('bob', 'new')).to.equal(115);
  });

  it('name their user as suspended if that happens while they are checked', async () => {
    meanwhile = () => {
      held.users = [user(115, 'bob', { status: 'suspended' })];
    };
    expect((await checking.check('bob', PASSWORD, '192.0.2.1')).status).to.equal('suspended');
  });

  it('count their failures, remembered or not', async () => {
    expect(await check('bob', PASSWORD)).to.equal(115);
    for (let time = 0; time < 10; time += 1) expect(await check('bob', 'wrong')).to.equal('bad-credentials');
    expect(await check('bob', PASSWORD)).to.equal('too-many');
    held.now = new Date(held.now.getTime() + 15 * 60_000);
    expect(await check('bob', PASSWORD)).to.equal(115);
  });
});
