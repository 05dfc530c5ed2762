import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { steadyClock } from '../../../../src/core/clock.js';
import { polling, type Poller, type PollerOptions } from '../../../../src/stores/mongodb/read-models/poller.js';
import { failureOf, hangingLook, until } from './fixture.js';

describe('looks at the state of projections', () => {
  let poller: Poller | null;
  let looks: number;
  let errors: string[];

  beforeEach(() => {
    poller = null;
    looks = 0;
    errors = [];
  });

  afterEach(async () => {
    await poller?.close();
  });

  const start = async (options: Partial<PollerOptions> = {}): Promise<Poller> => {
    poller = await polling({
      look: () => {
        looks += 1;
        return Promise.resolve(false);
      },
      told: () => Promise.resolve(),
      isWaitedFor: () => false,
      onError: (error) => errors.push(error instanceof Error ? error.message : 'something else'),
      ...options,
    });
    return poller;
  };

  it('begin before anything else', async () => {
    await start();
    expect(looks).to.equal(1);
    expect(await failureOf(start({ look: () => Promise.reject(new Error('nobody there')) }))).to.include({
      message: 'nobody there',
    });
  });

  it('go on by themselves, now and then', async () => {
    const { followedAt } = await start();
    const first = Number(followedAt());
    const began = performance.now();
    await until(() => looks === 4);
    expect(performance.now() - began).to.be.greaterThan(250);
    expect(Number(followedAt())).to.be.greaterThan(first);
  });

  it('are not waited for any longer while they have no end, and are again once one has ended', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<boolean>((resolve) => {
      answer = () => {
        resolve(false);
      };
    });
    let hangs = false;
    const { again, fresh } = await start({ look: () => (hangs ? answered : Promise.resolve(false)) });
    hangs = true;
    const silence = {
      kind: 'unavailable',
      message: 'The read models do not answer; retry later',
      retryAfter: 5,
    };
    try {
      for (const failure of await Promise.all([failureOf(again()), failureOf(again())])) {
        expect(failure).to.include(silence);
      }
      for (const ask of [again, fresh]) {
        const atOnce = await Promise.race([failureOf(ask()), sleep(1000, 'waits', { ref: false })]);
        expect(atOnce).to.include(silence);
      }
    } finally {
      hangs = false;
      answer();
    }
    await until(() =>
      again().then(
        () => true,
        () => false,
      ),
    );
    await fresh();
  });

  it('leave no timer behind, and have one for all who wait for the same look', async () => {
    const { look, hang, answer } = hangingLook();
    const { again } = await start({ look });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    for (let time = 0; time < 20; time += 1) await again();
    expect(timers()).to.be.below(before + 5);
    hang();
    const waiting = Promise.all(Array.from({ length: 20 }, () => again()));
    const meanwhile = timers();
    answer();
    await waiting;
    expect(meanwhile).to.be.below(before + 5);
  });

  it('are begun by callers, too, while what was seen before is still being told', async () => {
    let [lose, end] = [(): void => undefined, (): void => undefined];
    const lost = new Promise<boolean>((_, reject) => {
      lose = () => {
        reject(new Error('the connection is lost'));
      };
    });
    const ended = new Promise<void>((resolve) => (end = resolve));
    let [hangs, isTelling] = [false, false];
    let telling = (): Promise<void> => Promise.resolve();
    const { again } = await start({ look: () => (hangs ? lost : Promise.resolve(false)), told: () => telling() });
    telling = () => {
      isTelling = true;
      return ended;
    };
    try {
      await until(() => isTelling);
      hangs = true;
      expect(await failureOf(again())).to.include({ kind: 'unavailable' });
      hangs = false;
      lose();
      await until(() =>
        again().then(
          () => true,
          () => false,
        ),
      );
    } finally {
      end();
    }
  });

  it('go on faster while a caller waits, but not without a pause', async () => {
    const { hurry } = await start({ isWaitedFor: () => true });
    const began = performance.now();
    while (looks < 30) {
      hurry();
      await sleep(0);
    }
    const milliseconds = performance.now() - began;
    expect(milliseconds).to.be.greaterThan(29 * 2);
    await until(() => looks >= 40);
  });

  it('begin at once for a new caller', async () => {
    const { hurry } = await start();
    for (let n = 0; n < 20; n += 1) {
      const before = looks;
      hurry();
      await until(() => looks > before);
    }
    expect(looks).to.be.greaterThan(20);
  });

  it('come again soon after the first one for a caller', async () => {
    const times: number[] = [];
    const look = () => {
      times.push(performance.now());
      return Promise.resolve(false);
    };
    const { hurry } = await start({ look, isWaitedFor: () => true });
    const gaps: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const before = times.length;
      hurry();
      await until(() => times.length >= before + 2);
      gaps.push(times[before + 1]! - times[before]!);
    }
    expect(Math.min(...gaps)).to.be.lessThan(9);
  });

  it('come again soon for as long as each finds anything new', async () => {
    const times: number[] = [];
    const look = () => {
      times.push(performance.now());
      return Promise.resolve(times.length < 30);
    };
    await start({ look, isWaitedFor: () => true });
    await until(() => times.length >= 40);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    const median = (some: readonly number[]): number => some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)]!;
    expect(2 * median(gaps.slice(10, 28))).to.be.lessThan(median(gaps.slice(-3)));
  });

  it('are never two at once, and one is enough for all who ask meanwhile', async () => {
    let under = 0;
    const { again } = await start({
      look: async () => {
        looks += 1;
        under += 1;
        expect(under).to.equal(1);
        await sleep(30);
        under -= 1;
        return false;
      },
    });
    const before = looks;
    const first = again();
    await sleep(5);
    await Promise.all([again(), again(), again(), first]);
    expect(looks - before).to.be.within(1, 3);
  });

  it('are done again for a caller that needs the present state', async () => {
    let fact = 0;
    let seen = 0;
    const { again } = await start({
      look: async () => {
        const found = fact;
        await sleep(10);
        seen = found;
        return false;
      },
    });
    for (let n = 1; n < 20; n += 1) {
      await sleep(n % 7);
      fact = n;
      await again();
      expect(seen).to.equal(n);
    }
  });

  it('are too old after a while', async () => {
    let slow = 0;
    const { fresh } = await start({
      look: async () => {
        looks += 1;
        await sleep(slow);
        return false;
      },
      told: () => sleep(slow),
    });
    await fresh();
    expect(looks).to.equal(1);
    slow = 400;
    await until(() => looks === 2);
    await sleep(700);
    await fresh();
    expect(looks).to.be.at.least(3);
  });

  it('are too old once they have taken long', async () => {
    const { fresh } = await start({
      look: async () => {
        looks += 1;
        await sleep(400);
        return false;
      },
    });
    const before = looks;
    await fresh();
    expect(looks).to.be.greaterThan(before);
  });

  it('go on after an error, and tell of it', async () => {
    let failures = 3;
    await start({
      told: () => {
        failures -= 1;
        return failures === 2 || failures < 0 ? Promise.resolve() : Promise.reject(new Error('not now'));
      },
    });
    await until(() => failures < 0);
    expect(errors).to.deep.equal(['not now', 'not now']);
  });

  it('count from their beginning, once everybody was told', async () => {
    let fails = false;
    const { followedAt } = await start({
      look: () => sleep(50),
      told: () => (fails ? Promise.reject(new Error('not now')) : Promise.resolve()),
    });
    expect(steadyClock().getTime() - followedAt().getTime()).to.be.at.least(49);
    fails = true;
    await until(() => errors.length > 0);
    const followed = followedAt();
    await until(() => errors.length > 1);
    expect(followedAt()).to.equal(followed);
    fails = false;
    await until(() => followedAt() > followed);
  });

  it('end during a look, a wait or a pause', async () => {
    const one = await start({ look: () => sleep(20), told: () => Promise.reject(new Error('late')) }).catch(() => null);
    expect(one).to.equal(null);
    const other = await start();
    await other.close();
    const before = looks;
    other.hurry();
    await sleep(150);
    expect(looks).to.equal(before);
    expect(errors).to.deep.equal([]);
  });
});
