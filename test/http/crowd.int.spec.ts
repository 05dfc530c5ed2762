import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect } from 'chai';
import { pageQuery, type PageQuery } from '../../src/http/pages/pagination.js';
import { toyApp, type Toy } from './toy-app.js';
import { toyRoute as route } from './toy-route.js';

const KEPT = 10;
const NEW = 10;

/** Without a pause. */
function busy(): void {
  const end = performance.now() + 6;
  while (performance.now() < end);
}

describe('Many clients that ask again and again', () => {
  let toy: Toy;
  let begun = 0;

  const longRoute = route({
    method: 'GET',
    path: '/long',
    access: 'public',
    summary: 'Takes long.',
    handle({ ctx }) {
      begun += 1;
      busy();
      ctx.body = {};
    },
  });

  const listRoute = route<unknown, object, PageQuery>({
    method: 'GET',
    path: '/list',
    access: 'public',
    summary: 'Takes long.',
    query: pageQuery(10, 50),
    handle({ ctx }) {
      begun += 1;
      busy();
      ctx.body = [];
    },
  });

  const shortRoute = route({
    method: 'GET',
    path: '/short',
    access: 'public',
    summary: 'Takes no time.',
    handle({ ctx }) {
      ctx.body = {};
    },
  });

  before(async () => {
    toy = await toyApp({ routes: () => [longRoute, listRoute, shortRoute] });
  });
  after(() => toy.close());

  const ask = async (agent: Agent, path = 'long'): Promise<void> => {
    const [answer] = (await once(get(`${toy.url}/api/${path}`, { agent }), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
  };

  /** How many of their requests begin while they ask again and again, and the work goes on. */
  const beside = async (path: string, work: () => Promise<unknown>): Promise<number> => {
    const kept = new Agent({ keepAlive: true, maxSockets: KEPT });
    const all = Array.from({ length: KEPT }, () => ask(kept, path));
    await Promise.all(all);
    let isOver = false;
    const again = Array.from({ length: KEPT }, async () => {
      while (!isOver) await ask(kept, path);
    });
    begun = 0;
    await work();
    const meanwhile = begun;
    isOver = true;
    await Promise.all(again);
    kept.destroy();
    return meanwhile;
  };

  it('do not keep out those who connect meanwhile', async () => {
    const work = () => Promise.all(Array.from({ length: NEW }, () => ask(new Agent())));
    // One new connection comes in each turn of the event loop. If every client were answered in it, these would be many more.
    expect(await beside('long', work)).to.be.lessThan(45);
  });

  it('do not hold up what is short if they ask for lists', async () => {
    const own = new Agent({ keepAlive: true, maxSockets: 1 });
    const work = async (): Promise<void> => {
      for (let time = 0; time < 10; time += 1) await ask(own, 'short');
    };
    await work();
    const meanwhile = await beside('list', work);
    own.destroy();
    expect(meanwhile).to.be.lessThan(45);
  });
});
