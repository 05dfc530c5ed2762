import { expect } from 'chai';
import { type Context, type DefaultState } from 'koa';
import { readingOwnWrites, shown } from '../../src/artifacts/unshown-writes.js';
import { type Viewer } from '../../src/authorization/viewer.js';
import { type Position } from '../../src/core/event-log.js';
import { toyRoute } from '../http/toy-route.js';

describe('an answer about an artifact whose last write is not shown', () => {
  const position = '0001' as Position;
  const [written, other] = [101, 102];

  /** What the route says of its answer to a request for the artifact. */
  function asking() {
    const held = { isShown: true };
    const readModels = { caughtUp: () => Promise.resolve(held.isShown) };
    const handle = ({ ctx }: { readonly ctx: Context }): void => {
      ctx.state.stillHolds = () => true;
    };
    const [route] = readingOwnWrites(
      [toyRoute<Viewer>({ method: 'GET', path: '/of/:id', access: 'hybrid', summary: '', handle })],
      { readModels },
    );
    const ask = async (id: number): Promise<DefaultState['stillHolds']> => {
      const ctx = { state: {} } as Context;
      await route?.handle({ ctx, params: { id } } as never);
      return ctx.state.stillHolds;
    };
    return { held, readModels, ask };
  }

  it('holds no longer, but that about another one does', async () => {
    const { held, readModels, ask } = asking();
    const [ofWritten, ofOther] = [await ask(written), await ask(other)];
    expect([await ofWritten?.(), await ofOther?.()]).to.deep.equal([true, true]);
    held.isShown = false;
    await shown([written], position, readModels);
    expect([await ofWritten?.(), await ofOther?.()]).to.deep.equal([false, true]);
  });

  it('is refused, until the write is shown', async () => {
    const { held, readModels, ask } = asking();
    held.isShown = false;
    await shown([written], position, readModels);
    const refused = await ask(written).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).to.have.property('kind', 'unavailable');
    held.isShown = true;
    const again = await ask(written);
    expect(await again?.()).to.equal(true);
  });
});
