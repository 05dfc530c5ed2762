import { expect } from 'chai';
import { type Context } from 'koa';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../src/core/problem.js';
import {
  answersIn,
  isRoomWanted,
  makeLongText,
  MOST_WAITING_ANSWERS,
  noteHeld,
} from '../../src/core/logs/long-texts.js';
import { goneOf } from '../../src/http/gone.js';
import { toyRoute as route } from './toy-route.js';
import { begin, jsonList, sendJson, sendTexts } from '../../src/http/send-json.js';
import { turns } from '../support/turns.js';
import { heldBeyond } from '../support/garbage.js';
import { eventually } from '../e2e/servers/eventually.js';
import { toyApp, type Toy } from './toy-app.js';

const MANY = 200;
/** In bytes. */
const TURN = 1_048_576;
/** In characters: more than a process holds while it makes a long text. */
const TOO_MUCH = MOST_WAITING_ANSWERS * 524_288;
/** In characters. */
const LARGE = 32_000_000;
/** Of characters of several lengths. Pieces of 65,536 units must not cut through one that has two. */
const ITEM = JSON.stringify('😀'.repeat(33_000) + 'aé€'.repeat(10_000));
/** 8 MB of them. */
const SHORT = Array<string>(200_000).fill(JSON.stringify('short'.repeat(8)));

/** How much is taken in one turn of the event loop, at most, by a client that takes all at once. */
async function mostInOneTurn(body: unknown): Promise<number> {
  if (!(body instanceof Readable)) throw new TypeError('the answer is no stream');
  const loop = turns();
  const taken: number[] = [];
  for await (const bytes of body) {
    const turn = loop.count();
    taken[turn] = (taken[turn] ?? 0) + Buffer.from(bytes).length;
  }
  loop.stop();
  return Math.max(...taken.filter((bytes) => bytes > 0));
}

describe('an answer in parts', () => {
  let toy: Toy;
  let [made, ended] = [0, 0];
  let parts = 0;
  async function* items(count: number, failure?: { readonly at: number; readonly error: Error }) {
    try {
      for (let n = 0; n < count; n += 1) {
        if (n === failure?.at) throw failure.error;
        made += 1;
        yield [ITEM];
        await setImmediate();
      }
    } finally {
      ended += 1;
    }
  }
  async function* unending() {
    try {
      yield* items(MANY);
    } finally {
      await Promise.reject(new Error('the end fails'));
    }
  }
  async function* endingLong(gone: AbortSignal) {
    yield* items(MANY);
    yield await makeLongText(() => Promise.resolve([ITEM]), gone);
  }
  async function* ready() {
    for (let n = 0; n < MANY; n += 1) yield Promise.resolve([ITEM]);
  }
  const sending = (path: string, list: () => AsyncGenerator<readonly string[]>) =>
    route({
      method: 'GET',
      path,
      access: 'public',
      summary: '',
      handle: ({ ctx }) => sendTexts(ctx, jsonList(list())),
    });
  before(async () => {
    toy = await toyApp({
      routes: () => [
        sending('/few', () => items(3)),
        route({
          method: 'GET',
          path: '/further',
          access: 'public',
          summary: '',
          handle: async ({ ctx }) => {
            await sendTexts(ctx, jsonList(items(MANY)));
            parts = made - MANY;
            ctx.state.further = (make) => {
              parts += 1;
              return make();
            };
          },
        }),
        sending('/none', () => items(0)),
        sending('/many', () => items(MANY)),
        sending('/refused', () => items(MANY, { at: 2, error: new Problem('conflict', 'it changed') })),
        sending('/unending', unending),
        route({
          method: 'GET',
          path: '/with-a-long-text',
          access: 'public',
          summary: '',
          handle: ({ ctx }) => sendTexts(ctx, jsonList(endingLong(goneOf(ctx)))),
        }),
        sending('/broken', () => items(MANY, { at: 150, error: new Error('it is gone') })),
        route({
          method: 'GET',
          path: '/text',
          access: 'public',
          summary: '',
          handle: ({ ctx }) => {
            sendJson(ctx, ITEM.repeat(3));
          },
        }),
        route({
          method: 'GET',
          path: '/taken-at-once',
          access: 'public',
          summary: '',
          handle: async ({ ctx }) => {
            sendJson(ctx, ITEM.repeat(MANY));
            const text = await mostInOneTurn(ctx.body);
            await sendTexts(ctx, jsonList(ready()));
            const texts = await mostInOneTurn(ctx.body);
            await sendTexts(ctx, jsonList(Readable.from([SHORT])));
            ctx.body = { text, texts, shortOnes: await mostInOneTurn(ctx.body) };
          },
        }),
      ],
    });
  });
  after(() => toy.close());
  beforeEach(() => {
    [made, ended] = [0, 0];
  });

  const asked = async (path: string, method = 'GET') =>
    fetch(`${toy.url}/api${path}`, { method, headers: { 'Accept-Encoding': 'identity' } });

  it('has all of its items, and its length if it is not long', async () => {
    const few = await asked('/few');
    const text = await few.text();
    expect(text).to.equal(`[${[ITEM, ITEM, ITEM].join()}]`);
    expect(Number(few.headers.get('content-length'))).to.equal(Buffer.byteLength(text));
    expect(await (await asked('/none')).text()).to.equal('[]');
    const long = await asked('/text');
    expect(await long.text()).to.equal(ITEM.repeat(3));
    expect(Number(long.headers.get('content-length'))).to.equal(3 * Buffer.byteLength(ITEM));
  });

  it('has all of its items if it is long, and is JSON', async () => {
    const many = await asked('/many');
    expect(many.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(await many.json()).to.deep.equal(Array.from({ length: MANY }, () => JSON.parse(ITEM) as unknown));
  });

  it('goes on in turns with what is not made before it begins', async () => {
    expect(await (await asked('/further')).json()).to.have.length(MANY);
    // After the last part, one turn for the end and one for what follows it.
    expect(parts).to.equal(2);
  });

  it('is not made any further for who asks for its headers only', async () => {
    const answer = await asked('/many', 'HEAD');
    expect([answer.status, await answer.text()]).to.deep.equal([200, '']);
    await eventually('the end of the items', () => ended === 1);
    expect(made).to.be.below(MANY / 4);
  });

  it('is not made any further once its client has left', async () => {
    const answered = await new Promise<IncomingMessage>((resolve) => get(`${toy.url}/api/many`, resolve));
    answered.destroy();
    await eventually('the end of the items', () => ended === 1);
    expect(made).to.be.below(MANY);
  });

  it('is not made any further, although its end fails, once its client has left', async () => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.prependListener('unhandledRejection', listen);
    const answered = await new Promise<IncomingMessage>((resolve) => get(`${toy.url}/api/unending`, resolve));
    answered.destroy();
    await eventually('the end of the items', () => ended === 1);
    await setImmediate();
    process.off('unhandledRejection', listen);
    expect(rejections).to.deep.equal([]);
  });

  it('is made as far as the client takes it', async () => {
    const answered = await new Promise<IncomingMessage>((resolve) => get(`${toy.url}/api/many`, resolve));
    for (let before = -1; before !== made;) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(made).to.be.below(MANY);
    answered.resume();
    await once(answered, 'end');
    expect(made).to.equal(MANY);
  });

  it('waits for the room that others leave for long texts, also once it has begun', async () => {
    const others = [{}, {}, {}];
    for (const other of others) noteHeld(other, TOO_MUCH);
    const text = asked('/with-a-long-text').then((answer) => answer.text());
    await eventually('its last text', () => Promise.resolve(made === MANY && isRoomWanted()));
    for (const other of others) noteHeld(other, 0);
    expect(await text).to.have.length((ITEM.length + 1) * (MANY + 1) + 1);
  });

  /** The stream of an answer whose second part is made once it is let go, and the answer that holds it. */
  const oneByOne = async (...parts: readonly [string, string]) => {
    let letGo = (): void => undefined;
    const later = new Promise<void>((resolve) => (letGo = resolve));
    const texts = async function* (): AsyncGenerator<readonly string[]> {
      yield [parts[0]];
      yield await later.then(() => [parts[1]]);
    };
    const ctx = { res: {}, state: {}, set: () => undefined, body: undefined } as unknown as Context;
    await sendTexts(ctx, jsonList(texts()));
    const body: unknown = ctx.body;
    if (!(body instanceof Readable)) throw new TypeError('the answer is no stream');
    return { body, letGo, answer: ctx.res };
  };

  it('holds nothing that was taken while the next part is made', async () => {
    const before = process.memoryUsage().heapUsed;
    const { body, letGo } = await oneByOne('x'.repeat(LARGE), 'y');
    let bytes = 0;
    body.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await eventually('the first text', () => Promise.resolve(bytes > LARGE));
    expect(await heldBeyond(before, 'heapUsed', LARGE / 2)).to.be.below(LARGE / 2);
    letGo();
    await once(body, 'end');
    expect(bytes).to.equal(LARGE + 4);
  });

  it('holds nothing once its client has left while the next part is made', async () => {
    const { body, letGo, answer } = await oneByOne('x'.repeat(2 * TURN), 'y'.repeat(LARGE));
    let bytes = 0;
    body.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await eventually('the first text', () => Promise.resolve(bytes > 2 * TURN));
    body.destroy();
    await setImmediate();
    letGo();
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(answersIn(answer)).to.equal(1);
  });

  it('leaves others their turn while a client takes all of it at once', async () => {
    const most: unknown = await (await asked('/taken-at-once')).json();
    for (const of of ['text', 'texts', 'shortOnes'])
      expect(most)
        .to.have.property(of)
        .that.is.below(3 * TURN);
  });

  it('is an error where its beginning fails', async () => {
    const { status, headers } = await asked('/refused');
    expect([status, headers.get('content-type')]).to.deep.equal([409, 'application/json; charset=utf-8']);
  });

  it('breaks the connection where it fails later, and the log says so', async () => {
    const answer = await asked('/broken');
    expect(answer.status).to.equal(200);
    const failure = await answer.text().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await eventually('the line of the request', () => toy.lines().some(({ path }) => path === '/api/broken'));
    const [line, ...others] = toy.lines().filter(({ msg }) => msg === 'response failed');
    expect(others).to.deep.equal([]);
    expect(line).to.have.nested.property('err.message', 'it is gone');
    expect(line).to.have.property('requestId', answer.headers.get('x-request-id'));
  });

  it('is begun with as much as is kept of it', async () => {
    const begun = await begin(jsonList(items(MANY)));
    expect(begun.rest).not.to.equal(null);
    expect(made).to.be.below(MANY / 4);
  });
});
