import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect } from 'chai';
import { toyApp, type Toy } from './toy-app.js';
import { toyRoute as route } from './toy-route.js';

const KEPT = 10;
const NEW = 10;

describe('Many clients that ask again and again', () => {
  let toy: Toy;
  let begun = 0;

  /** Holds up all others for some milliseconds. */
  const longRoute = route({
    method: 'GET',
    path: '/long',
    access: 'public',
    summary: 'Takes long.',
    handle({ ctx }) {
      begun += 1;
      const end = performance.now() + 6;
      while (performance.now() < end);
      ctx.body = {};
    },
  });

  before(async () => {
    toy = await toyApp({ routes: () => [longRoute] });
  });
  after(() => toy.close());

  const ask = async (agent: Agent): Promise<void> => {
    const [answer] = (await once(get(`${toy.url}/api/long`, { agent }), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
  };

  it('do not keep out those who connect meanwhile', async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: KEPT });
    const all = async (): Promise<void> => {
      await Promise.all(Array.from({ length: KEPT }, () => ask(kept)));
    };
    await all();
    let isOver = false;
    const again = Array.from({ length: KEPT }, async () => {
      while (!isOver) await ask(kept);
    });
    begun = 0;
    await Promise.all(Array.from({ length: NEW }, () => ask(new Agent())));
    const meanwhile = begun;
    isOver = true;
    await Promise.all(again);
    kept.destroy();
    // One new connection comes in each turn of the event loop. If every client were answered in it, these would be a hundred.
    expect(meanwhile).to.be.lessThan(45);
  });
});
