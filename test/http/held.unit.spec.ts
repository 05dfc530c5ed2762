import { expect } from 'chai';
import { type Context } from 'koa';
import { type Readable } from 'node:stream';
import { answersIn } from '../../src/core/logs/long-texts.js';
import { sendBegun, type Parts } from '../../src/http/send-json.js';

const LONG = 'x'.repeat(2_000_000);

describe('what an answer holds until its client has taken it', () => {
  const sent = (parts: Parts, rest: AsyncIterator<Parts> | null) => {
    const res = {};
    const ctx = { res, state: {}, set: () => undefined } as unknown as Context;
    sendBegun(ctx, { parts, rest });
    return { res, body: ctx.body as Readable };
  };
  async function* rest(): AsyncGenerator<Parts, void, void> {
    yield await Promise.resolve(['y']);
    yield [LONG];
  }

  it('counts from its first piece to its last', async () => {
    for (const more of [null, rest()]) {
      const { res, body } = sent([LONG], more);
      const counts: number[] = [];
      for await (const piece of body) {
        expect(piece).to.be.instanceOf(Buffer);
        counts.push(answersIn(res));
      }
      expect(counts[0]).to.equal(4);
      expect(answersIn(res)).to.equal(1);
    }
  });

  it('counts no longer while more is made, once it is taken', async () => {
    let makeMore = (): void => undefined;
    const made = new Promise<void>((resolve) => (makeMore = resolve));
    async function* slow(): AsyncGenerator<Parts, void, void> {
      await made;
      yield ['y'];
    }
    const { res, body } = sent([LONG], slow());
    let taken = 0;
    for await (const piece of body) {
      taken += (piece as Buffer).length;
      if (taken !== LONG.length) continue;
      while (answersIn(res) > 1) await new Promise(setImmediate);
      makeMore();
    }
    expect(taken).to.equal(LONG.length + 1);
  });

  it('counts no longer once the client has left', async () => {
    const { res, body } = sent([LONG], rest());
    await body[Symbol.asyncIterator]().next();
    expect(answersIn(res)).to.equal(4);
    body.destroy();
    await new Promise((closed) => body.once('close', closed));
    expect(answersIn(res)).to.equal(1);
  });
});
