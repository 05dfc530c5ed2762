import { expect } from 'chai';
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { limitAnswers } from '../../../src/http/server/answer-timeout.js';
import { isRoomWanted, makeLongText, MOST_WAITING_ANSWERS, noteHeld } from '../../../src/core/logs/long-texts.js';
import { jsonServer } from '../../../src/http/server/server.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { collectGarbage } from '../../support/garbage.js';

/** More than connections hold in buffers of the system. */
const LARGE = 50_000_000;
const PIECE = 50_000;
const TIMEOUTS = { windowMs: 300, windowBytes: 100_000, wholeMs: 1500, longMs: 20_000, mostWaiting: 100 };
/** In characters: more counts as several. */
const ONE_ANSWER = 524_288;
/** In characters: counts as four answers. */
const HELD = 3.5 * ONE_ANSWER;
/** The same: counts as an eighth of all that may wait. */
const EIGHTH = Math.floor(MOST_WAITING_ANSWERS / 8) * ONE_ANSWER;
/** How often another spec looks who is slow. */
const LOOK_S = 0.1;
/** In milliseconds. A busy machine may let nobody take anything for a while. */
const LONG_WINDOW = 10_000;

function* pieces(): Generator<Buffer> {
  for (let left = LARGE; left > 0; left -= PIECE) yield Buffer.alloc(PIECE);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a client that takes an answer', () => {
  let server: Server;
  let socket: Socket;
  let received: number;
  let cut: string[];
  let response: ServerResponse | undefined;
  let accepted: Socket[];
  beforeEach(() => begin(TIMEOUTS));
  afterEach(() => end());

  const begin = async (timeouts: typeof TIMEOUTS): Promise<void> => {
    received = 0;
    cut = [];
    response = undefined;
    accepted = [];
    server = jsonServer((request, answer) => {
      response = answer;
      if (request.url === '/never') return;
      if (request.url?.startsWith('/held')) noteHeld(answer, HELD);
      if (request.url?.startsWith('/eighth')) noteHeld(answer, EIGHTH);
      if (request.url === '/half-an-answer') noteHeld(answer, ONE_ANSWER / 2);
      answer.once('close', () => {
        noteHeld(answer, 0);
      });
      if (request.url === '/slow-service') {
        answer.write('begun');
        setTimeout(() => answer.end(), 3 * TIMEOUTS.windowMs);
      } else pipeline(Readable.from(pieces(), { objectMode: false }), answer, () => undefined);
    });
    const isLong = ({ url = '' }) => url === '/long';
    limitAnswers(server, { ...timeouts, isLong, onCut: ({ url = '' }) => cut.push(url) });
    server.on('connection', (each) => accepted.push(each));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    // Only what is read by hand is taken.
    socket.on('readable', () => undefined);
  };
  const end = async (): Promise<void> => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };

  const ask = (path: string): void => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  };
  const closed = async (): Promise<void> => {
    while (response === undefined) await once(server, 'request');
    if (!response.closed) await once(response, 'close');
  };
  /** So many bytes at most at a time, until all have come or the connection is gone. */
  const take = async (bytes: number, everyMs: number): Promise<void> => {
    while (received < LARGE && !socket.destroyed && response?.closed !== true) {
      for (let left = bytes; left > 0;) {
        const some = socket.read(Math.min(left, socket.readableLength)) as Buffer | null;
        if (some === null) break;
        received += some.length;
        left -= some.length;
      }
      await pause(everyMs);
    }
  };

  it('is cut off if it reads nothing of it', async () => {
    ask('/page');
    await closed();
    expect(cut).to.deep.equal(['/page']);
  });

  it('is cut off if it reads at less than the least rate', async () => {
    ask('/page');
    await Promise.all([closed(), take(1000, 20)]);
    expect(cut).to.deep.equal(['/page']);
    expect(received).to.be.below(LARGE);
  });

  it('is cut off if it has not taken all of it in time, at any rate', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: LONG_WINDOW });
    ask('/page');
    await Promise.all([closed(), take(300_000, 20)]);
    expect(cut).to.deep.equal(['/page']);
    expect(received).to.be.within(TIMEOUTS.windowBytes, LARGE);
  });

  it('gets all of it while it takes it fast enough', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: LONG_WINDOW, wholeMs: 60_000 });
    socket.removeAllListeners('readable').on('data', (bytes) => (received += bytes.length));
    ask('/page');
    await closed();
    while (received < LARGE) await pause(10);
    expect(cut).to.deep.equal([]);
  });

  it('is cut off before its time if it is among the slowest of too many', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: 60_000 * LOOK_S, wholeMs: 60_000, mostWaiting: 2 });
    const others = ['/long', '/1', '/2'].map(idle);
    await allWait(others.length);
    await pause(3000 * LOOK_S);
    expect(cut).to.deep.equal([]);
    ask('/fast');
    const taking = take(300_000, 20);
    await eventually('a cut', () => cut.length > 0);
    expect(cut).to.have.lengthOf(1);
    expect(['/1', '/2']).to.include.members(cut);
    for (const other of [socket, ...others]) other.destroy();
    await taking;
  });

  /** Parts of so many answers wait for their clients. */
  const allWait = (count: number): Promise<unknown> =>
    eventually(
      `${count} wait`,
      () => accepted.filter(({ writableLength }) => writableLength > 0).length === count,
      50_000,
    );

  /** Of another client, which takes nothing. */
  const idle = (path: string): Socket => {
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    other.on('readable', () => undefined).write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return other;
  };

  it('counts as several where it holds much, and is never too many alone', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: 60_000 * LOOK_S, wholeMs: 20_000, mostWaiting: 5 });
    const first = idle('/held1');
    await pause(3000 * LOOK_S);
    expect(cut).to.deep.equal([]);
    const second = idle('/held2');
    await eventually('a cut', () => cut.length > 0);
    expect(cut).to.have.lengthOf(1);
    for (const other of [first, second]) other.destroy();
  });

  it('is cut off if others wait for room, and those that hold much hold more than a quarter of all', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: 60_000 * LOOK_S, wholeMs: 60_000, mostWaiting: Infinity });
    const clients = ['/eighth1', '/eighth2', '/eighth3', '/1', '/2', '/3'].map(idle);
    await pause(5000 * LOOK_S);
    expect(cut).to.deep.equal([]);
    const untaken = [{}, {}, {}];
    for (const each of untaken) noteHeld(each, MOST_WAITING_ANSWERS * ONE_ANSWER);
    const made = makeLongText(() => Promise.resolve('made'));
    while (cut.length === 0) await pause(1);
    await pause(5000 * LOOK_S);
    for (const each of untaken) noteHeld(each, 0);
    for (const client of clients) client.destroy();
    expect(await made).to.equal('made');
    expect(cut).to.have.lengthOf(1);
    expect(cut[0]).to.match(/^\/eighth/);
  });

  it('is cut off for room also if many hold little', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: 60_000, wholeMs: 60_000, mostWaiting: Infinity });
    const many = Math.ceil(0.6 * MOST_WAITING_ANSWERS);
    const clients = Array.from({ length: many }, () => idle('/half-an-answer'));
    await allWait(many);
    expect(cut).to.deep.equal([]);
    const untaken = [{}, {}, {}];
    for (const each of untaken) noteHeld(each, MOST_WAITING_ANSWERS * ONE_ANSWER);
    const made = makeLongText(() => Promise.resolve('made'));
    while (cut.length === 0 && isRoomWanted()) await pause(10);
    const early = cut.length;
    for (const each of untaken) noteHeld(each, 0);
    for (const client of clients) client.destroy();
    expect(await made).to.equal('made');
    expect(early).to.be.within(1, many / 2);
  });

  it('is not cut off for a service that is slow', async () => {
    socket.removeAllListeners('readable').on('data', (bytes) => (received += bytes.length));
    ask('/slow-service');
    await closed();
    expect(cut).to.deep.equal([]);
    expect(response?.writableFinished).to.equal(true);
  });

  it('has longer for one that may be of any length', async () => {
    await end();
    await begin({ ...TIMEOUTS, windowMs: LONG_WINDOW });
    ask('/long');
    const taking = take(300_000, 20);
    await pause(2 * TIMEOUTS.wholeMs);
    expect(cut).to.deep.equal([]);
    socket.destroy();
    await taking;
  });

  it('is forgotten once it has left, whatever else it has asked for', async () => {
    const asked: WeakRef<IncomingMessage>[] = [];
    server.on('request', (request: IncomingMessage) => asked.push(new WeakRef(request)));
    for (let nth = 0; nth < 5; nth += 1) ask('/never');
    while (asked.length < 5) await once(server, 'request');
    socket.destroy();
    await closed();
    response = undefined;
    accepted = [];
    await collectGarbage();
    expect(asked.map((request) => request.deref()?.url)).to.deep.equal(asked.map(() => undefined));
  });
});
