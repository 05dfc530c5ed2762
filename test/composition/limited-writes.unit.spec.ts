import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { withLimitedWrites } from '../../src/composition/concurrency-limits.js';
import { ClientLeft } from '../../src/http/gone.js';
import { type Route } from '../../src/http/route.js';

/** More writes than these wait. */
const MOST = 64;
/** So many are never too many. */
const FEWEST = 16;
/** A write that takes longer than a second shows that too many are under way. */
const SLOW_MS = 1050;

/** Writes of clients with numbers. Those that have begun go on until they are ended. */
function writes() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const slow = {
    method: 'POST',
    path: '/artifacts',
    handle: async ({ ctx }: { readonly ctx: { readonly number: number } }) => {
      begun.push(ctx.number);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
  } as unknown as Route<object>;
  const [limited] = withLimitedWrites([slow]);
  const of = (count: number) => {
    const clients = Array.from({ length: count }, (_, number) => ({
      number,
      state: {},
      res: Object.assign(new EventEmitter(), { closed: false, writableFinished: false }),
    }));
    const outcomes = clients.map((ctx) =>
      Promise.resolve(limited?.handle({ ctx } as unknown as Parameters<Route<object>['handle']>[0])).catch(
        (error: unknown) => error,
      ),
    );
    const leave = (numbers: readonly number[]): void => {
      for (const { number, res } of clients) if (numbers.includes(number)) res.emit('close');
    };
    return { outcomes: Promise.all(outcomes), leave };
  };
  const end = async (): Promise<void> => {
    for (const each of ends.splice(0)) each();
    await new Promise(setImmediate);
  };
  return { of, begun, end };
}

describe('a write that waits for others', () => {
  it('is not begun once its client has left', async () => {
    const { of, begun, end } = writes();
    const { outcomes, leave } = of(MOST + 2);
    await new Promise(setImmediate);
    expect(begun).to.have.length(MOST);
    leave([MOST]);
    while (begun.length < MOST + 1) await end();
    await end();
    expect(begun.slice(MOST)).to.deep.equal([MOST + 1]);
    expect((await outcomes)[MOST]).to.be.instanceOf(ClientLeft);
  });

  it('does not raise the limit of writes if its client has left', async () => {
    const { of, begun, end } = writes();
    const { outcomes, leave } = of(3 * MOST);
    await pause(SLOW_MS);
    leave(Array.from({ length: MOST }, (_, number) => MOST + number));
    await end();
    expect(begun.slice(MOST)).to.deep.equal(Array.from({ length: FEWEST }, (_, number) => 2 * MOST + number));
    while (begun.length < 2 * MOST) await end();
    await end();
    await outcomes;
  });
});
