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
    const readModels: { caughtUp: (projection: string, at: Position) => Promise<boolean> } = {
      caughtUp: () => Promise.resolve(held.isShown),
    };
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

  describe('of several', () => {
    const later = '0002' as Position;
    const refusal = (asked: Promise<unknown>): Promise<unknown> =>
      asked.then(
        () => 'answered',
        (error: unknown) => error,
      );

    it('is refused until the last is shown, in whichever order they were answered', async () => {
      const { held, readModels, ask } = asking();
      held.isShown = false;
      await shown([written], later, readModels);
      await shown([written], position, readModels);
      readModels.caughtUp = (_, at) => Promise.resolve(at === position);
      expect(await refusal(ask(written))).to.have.property('kind', 'unavailable');
    });

    it('is refused until the last is shown, which was answered while the first was waited for', async () => {
      const { held, readModels, ask } = asking();
      held.isShown = false;
      await shown([written], position, readModels);
      let show: (isShown: boolean) => void = () => undefined;
      const first = new Promise<boolean>((resolve) => (show = resolve));
      readModels.caughtUp = (_, at) => (at === position ? first : Promise.resolve(false));
      const asked = refusal(ask(written));
      await shown([written], later, readModels);
      show(true);
      await asked;
      expect(await refusal(ask(written))).to.have.property('kind', 'unavailable');
    });
  });
});
