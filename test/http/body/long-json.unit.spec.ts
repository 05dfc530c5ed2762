import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa, { type Context } from 'koa';
import { decoding } from '../../../src/http/decode.js';
import { turns } from '../../support/turns.js';

const LONG = 65_536;

/** Of a request that has arrived as a whole. */
function arrived(text: string): Context {
  const request = new IncomingMessage(new Socket());
  request.headers['content-length'] = String(text.length);
  request.push(text);
  request.push(null);
  return new Koa().createContext(request, new ServerResponse(request));
}

describe('JSON that has arrived as a whole', () => {
  const decode = decoding();
  const body = { type: 'object' };
  const json = (size: number): string => `{"a":"${'x'.repeat(size - 8)}"}`;

  /** How often others have their turn until it is parsed. */
  async function turnsFor(text: string): Promise<number> {
    const loop = turns();
    const parsed = await decode(arrived(text), { method: 'POST', body }, () => Promise.resolve());
    loop.stop();
    expect(parsed).to.deep.equal(JSON.parse(text));
    return loop.count();
  }

  it('waits for others before it is parsed, and after that, where it is long', async () => {
    expect(await turnsFor(json(LONG + 1))).to.equal(2);
  });

  it('is read without a pause if it is short', async () => {
    expect(await turnsFor(json(LONG))).to.equal(0);
  });
});
