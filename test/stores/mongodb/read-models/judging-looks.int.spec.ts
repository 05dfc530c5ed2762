import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { polling, type Poller } from '../../../../src/stores/mongodb/read-models/poller.js';
import { hangingLook } from './fixture.js';

describe('looks at the state of projections, for requests that are judged by definitions,', () => {
  let poller: Poller | null = null;
  afterEach(() => poller?.close());

  const start = async ({ look }: Pick<ReturnType<typeof hangingLook>, 'look'>): Promise<Poller> => {
    poller = await polling({ look, told: () => Promise.resolve(), isWaitedFor: () => false, onError: () => undefined });
    return poller;
  };
  const isAtOnce = ({ followed }: Poller): Promise<boolean> =>
    Promise.race([followed().then(() => true), sleep(100, false, { ref: false })]);

  it('are waited for if they are old, and not again once that was in vain', async () => {
    const { look, hang, answer } = hangingLook();
    const known = await start({ look });
    try {
      expect(await isAtOnce(known)).to.equal(true);
      hang();
      while (await isAtOnce(known)) await sleep(10);
      await known.followed();
      expect(await isAtOnce(known)).to.equal(true);
    } finally {
      answer();
    }
  });

  it('are waited for again once the process has stood still', async () => {
    const { look, hang, answer } = hangingLook();
    const known = await start({ look });
    try {
      hang();
      while (await isAtOnce(known)) await sleep(10);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
      await sleep(0);
      expect(await isAtOnce(known)).to.equal(false);
    } finally {
      answer();
    }
  });
});
