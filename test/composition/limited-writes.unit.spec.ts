import { expect } from 'chai';
import { withLimitedWrites } from '../../src/composition/concurrency-limits.js';
import { ClientLeft } from '../../src/http/gone.js';
import { type Route } from '../../src/http/route.js';

/** More writes than these wait. */
const MOST = 64;

describe('a write that waits for others', () => {
  it('is not begun once its client has left', async () => {
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
    const clients = Array.from({ length: MOST + 2 }, (_, number) => ({ number, res: { closed: false } }));
    const writes = clients.map((ctx) =>
      Promise.resolve(limited?.handle({ ctx } as unknown as Parameters<Route<object>['handle']>[0])).catch(
        (error: unknown) => error,
      ),
    );
    await new Promise(setImmediate);
    expect(begun).to.have.length(MOST);
    const [left] = clients.slice(MOST);
    if (left !== undefined) left.res.closed = true;
    while (ends.length < MOST + 1) {
      for (const end of ends) end();
      await new Promise(setImmediate);
    }
    for (const end of ends) end();
    const outcomes = await Promise.all(writes);
    expect(begun.slice(MOST)).to.deep.equal([MOST + 1]);
    expect(outcomes[MOST]).to.be.instanceOf(ClientLeft);
  });
});
