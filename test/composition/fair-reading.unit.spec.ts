import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { type Context } from 'koa';
import { cacheSize } from '../../src/core/bounds.js';
import { withFairReading } from '../../src/composition/concurrency-limits.js';
import { ClientLeft } from '../../src/http/gone.js';
import { type Route } from '../../src/http/route.js';

const MOST = Math.max(8, cacheSize(32));
const MOST_OF_ONE = Math.ceil(MOST / 2);

const PAGES = { type: 'object', properties: { limit: { type: 'integer' }, cursor: { type: 'string' } } };

interface Asker {
  readonly address: string;
  readonly userId?: number | null;
}

const SOMEBODY: Asker = { address: '192.0.2.1', userId: null };
const ANOTHER: Asker = { address: '192.0.2.2', userId: null };

/** Requests of readers for lists, or for what is none. Those that have begun go on until they are ended. */
function readings({ areLists = true } = {}) {
  const ends: (() => void)[] = [];
  let begun: Asker[] = [];
  const slow = {
    method: 'GET',
    path: '/artifacts',
    query: areLists ? PAGES : {},
    handle: async ({ ctx }: { readonly ctx: { readonly state: Asker } }) => {
      begun.push(ctx.state);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
  } as unknown as Route<object>;
  const [limited] = withFairReading([slow]);
  const ask = (asker: Asker) => {
    const res = Object.assign(new EventEmitter(), { closed: false, writableFinished: false });
    const ctx = { state: { ...asker } as Context['state'], res };
    const request = { ctx } as unknown as Parameters<Route<object>['handle']>[0];
    const outcome = Promise.resolve(limited?.handle(request)).catch((error: unknown) => error);
    const further = async (): Promise<void> =>
      ctx.state.further?.(() => new Promise<void>((resolve) => ends.push(resolve)));
    return { outcome, further, leave: () => res.emit('close') };
  };
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  };
  const askAll = async (asker: Asker, count: number) => {
    const asked = Array.from({ length: count }, () => ask(asker));
    await settled();
    return asked;
  };
  /** How many have begun since the last time. */
  const news = (): number => {
    const { length } = begun;
    begun = [];
    return length;
  };
  const end = async (count = ends.length): Promise<void> => {
    for (const each of ends.splice(0, count)) each();
    await settled();
  };
  return { slow, limited, ask, askAll, news, end };
}

describe('requests that read', () => {
  it('begin so many at once of one caller, and others beside them', async () => {
    const { askAll, news, end } = readings();
    await askAll(SOMEBODY, MOST_OF_ONE + 2);
    expect(news()).to.equal(MOST_OF_ONE);
    await askAll(ANOTHER, 2);
    expect(news()).to.equal(2);
    await end(2);
    expect(news()).to.equal(1);
    await end();
    expect(news()).to.equal(1);
    await end();
  });

  it('begin so many at once of all callers', async () => {
    const { askAll, news, end } = readings();
    for (let last = 1; last <= MOST + 2; last += 1) await askAll({ address: `192.0.2.${last}` }, 1);
    expect(news()).to.equal(MOST);
    await end();
    expect(news()).to.equal(2);
    await end();
  });

  it('are those of one caller if they come from one network, as the same user', async () => {
    const { askAll, news, end } = readings();
    await askAll({ address: '2001:db8::1' }, MOST_OF_ONE);
    news();
    await askAll({ address: '2001:db8::2' }, 1);
    expect(news()).to.equal(0);
    await askAll({ address: '2001:db8::1', userId: 102 }, 1);
    await askAll({ address: '2001:db8:0:1::1' }, 1);
    expect(news()).to.equal(2);
    await end();
    await end();
  });

  it('are not begun once their client has left', async () => {
    const { askAll, ask, news, end } = readings();
    await askAll(SOMEBODY, MOST_OF_ONE);
    const { outcome, leave } = ask(SOMEBODY);
    leave();
    expect(await outcome).to.be.instanceOf(ClientLeft);
    news();
    await end();
    expect(news()).to.equal(0);
  });

  it('are twice as many if they ask for no lists', async () => {
    const { askAll, news, end } = readings({ areLists: false });
    await askAll(SOMEBODY, MOST + 2);
    expect(news()).to.equal(MOST);
    await end();
    await end();
  });

  it('wait while many answers of their caller go on, if they ask for lists and one goes on already', async () => {
    const { ask, askAll, news, end } = readings();
    const [some, others] = [ask(SOMEBODY), ask(ANOTHER)];
    await end();
    news();
    const parts = Array.from({ length: MOST_OF_ONE }, () => some.further());
    await askAll(SOMEBODY, 1);
    expect(news()).to.equal(0);
    parts.push(...Array.from({ length: MOST_OF_ONE }, () => others.further()));
    await askAll(ANOTHER, 1);
    expect(news()).to.equal(0);
    const third = (await askAll({ address: '192.0.2.3' }, 1))[0];
    parts.push(third?.further() ?? Promise.reject(new Error('there is none')));
    await askAll({ address: '192.0.2.3' }, 1);
    expect(news()).to.equal(2);
    await end();
    expect(news()).to.equal(2);
    await end();
    await Promise.all(parts);
  });

  it('are limited alone', () => {
    const { slow } = readings();
    const write = { ...slow, method: 'POST' as const };
    expect(withFairReading([write])).to.deep.equal([write]);
  });
});
