import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Viewer } from '../../../src/authorization/viewer.js';
import { hasRevision, setValidators } from '../../../src/http/etag.js';
import { sendJson } from '../../../src/http/send-json.js';
import { collectGarbage, heldBeyond, isHeld } from '../../support/garbage.js';
import { toyRoute as route } from '../toy-route.js';
import { basic, PASSWORD, toyApp, user, withToken, type Toy } from '../toy-app.js';

const LONG = 'a text of which there is much '.repeat(100);
/** Compressed, more than is kept of one answer. */
const RANDOM_BYTES = 300_000;
const MANY = 500;
/** Of the memory that a few bytes take if they share it. */
const SMALL = 1000;
const LARGE = 'x'.repeat(250_000);
/** So many of them are more than are kept of all answers together. */
const TOO_MANY = 280;

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

describe('a whole answer that is kept', () => {
  let toy: Toy;
  let made: number;
  let holds: () => boolean | Promise<boolean>;
  type Handle = Parameters<typeof route<Viewer>>[0]['handle'];
  const answer =
    (text: string): Handle =>
    ({ ctx, viewer }) => {
      made += 1;
      ctx.state.stillHolds = () => holds();
      setValidators(ctx, { revision: 7, lastModified: '2026-01-01T00:00:00Z' });
      if (hasRevision(ctx, 7)) ctx.status = 304;
      else sendJson(ctx, JSON.stringify({ made, for: viewer.user?.username ?? null, text }));
    };
  const get = (path: string, access: 'hybrid' | 'protected', handle: Handle) =>
    route({ method: 'GET', path, access, summary: '', handle });

  before(async () => {
    toy = await toyApp({
      trustedProxies: [],
      routes: () => [
        get('/kept', 'hybrid', answer('é')),
        get('/own', 'protected', answer('short')),
        get('/long', 'hybrid', answer(LONG)),
        get('/random', 'hybrid', (asked) => {
          void answer(randomBytes(RANDOM_BYTES).toString('hex'))(asked);
        }),
        get('/large', 'hybrid', answer(LARGE)),
        get('/made', 'hybrid', (asked) => {
          void answer('')(asked);
          delete asked.ctx.state.stillHolds;
        }),
        get('/refused', 'hybrid', (asked) => {
          void answer('')(asked);
          asked.ctx.status = 202;
        }),
      ],
    });
  });
  after(() => toy.close());
  let bob: Record<string, string>;
  let n = 0;
  beforeEach(() => {
    made = 0;
    holds = () => true;
    toy.world.users = [user(115, 'bob'), user(116, 'ann')];
    toy.world.anonymousAccess = true;
    toy.world.followsLog = true;
    toy.world.now = new Date('2026-03-01T10:00:00.500Z');
    n += 1;
    // Each case has requests of its own.
    bob = { 'X-Case': String(n), ...withToken(toy.tokens.issue(toy.world.users[0]!), '115') };
  });

  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    const asked = request(`${toy.url}/api${path}`, { method, headers, agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
  }
  const bodyOf = ({ body }: Answer): unknown => JSON.parse(body.toString());
  const lasting = ({ headers }: Answer) => ({ ...headers, date: '', 'x-request-id': '' });

  it('is given again, with the same headers but the id of the request', async () => {
    const [first, second] = [await ask('/kept', bob), await ask('/kept', bob)];
    expect(made).to.equal(1);
    expect(bodyOf(first)).to.deep.equal({ made: 1, for: 'bob', text: 'é' });
    expect(second.body.equals(first.body)).to.equal(true);
    expect(second.status).to.equal(200);
    expect(lasting(second)).to.deep.equal(lasting(first));
    expect(second.headers['x-request-id'])
      .to.match(/^[\w-]{36}$/)
      .and.not.equal(first.headers['x-request-id']);
  });

  it('is spelled as the first time', async () => {
    const asked = `GET /api/kept HTTP/1.1\r\nHost: a\r\nX-Case: ${n}\r\nX-Request-Id: the-id\r\n\r\n`;
    const [first, second] = [await toy.raw(asked), await toy.raw(asked)].map((text) =>
      text
        .split('\r\n')
        .filter((line) => !line.startsWith('Date:'))
        .sort(),
    );
    expect(made).to.equal(1);
    expect(second).to.deep.equal(first);
    expect(second).to.include('X-Request-Id: the-id');
    expect(second).to.include('X-Content-Type-Options: nosniff');
  });

  it('is made anew once it no longer holds', async () => {
    await ask('/kept', bob);
    for (const no of [() => false, () => Promise.resolve(false), () => Promise.reject(new Error('it cannot tell'))]) {
      holds = no;
      const before = made;
      expect(bodyOf(await ask('/kept', bob))).to.include({ made: before + 1 });
    }
    holds = () => Promise.resolve(true);
    const before = made;
    expect(bodyOf(await ask('/kept', bob))).to.include({ made: before });
  });

  it('is not kept unless its route can tell', async () => {
    for (const path of ['/made', '/refused']) {
      await ask(path, bob);
      const before = made;
      await ask(path, bob);
      expect(made, path).to.equal(before + 1);
    }
  });

  it('is for one request: its address, its headers, its reader', async () => {
    const ann = withToken(toy.tokens.issue(toy.world.users[1]!), '116');
    const requests: readonly (readonly [string, Record<string, string>])[] = [
      ['/kept', bob],
      ['/kept?limit=1', bob],
      ['/kept', { ...bob, Accept: 'application/json' }],
      ['/kept', { ...bob, Host: 'another.example.org' }],
      ['/kept', { 'X-Case': String(n), ...ann }],
      ['/kept', { 'X-Case': String(n) }],
      ['/own', bob],
    ];
    const first = [];
    for (const [path, headers] of requests) first.push(bodyOf(await ask(path, headers)));
    expect(first.map((body) => (body as { made: number }).made)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(first.map((body) => (body as { for: string }).for).slice(3)).to.deep.equal(['bob', 'ann', null, 'bob']);
    for (const [nth, [path, headers]] of requests.entries()) {
      expect(bodyOf(await ask(path, headers))).to.deep.equal(first[nth]);
    }
  });

  it('is not given to who may no longer ask', async () => {
    const asked = async () => (await ask('/own', bob)).status;
    expect([await asked(), await asked(), made]).to.deep.equal([200, 200, 1]);
    toy.world.followsLog = false;
    expect(await asked()).to.equal(503);
    toy.world.followsLog = true;
    expect([await asked(), made]).to.deep.equal([200, 1]);
    const revoked = user(115, 'bob', { tokensValidFrom: 1, revision: 1 });
    toy.world.users = [revoked];
    expect(await asked()).to.equal(500);
    toy.world.users = [user(115, 'bob', { status: 'suspended' })];
    expect(await asked()).to.equal(403);
    toy.world.users = [user(115, 'bob')];
    toy.world.now = new Date('2027-03-01T10:00:00.500Z');
    expect(await asked()).to.equal(401);
  });

  it('is made anew for a user who has changed', async () => {
    await ask('/kept', bob);
    toy.world.users = [user(115, 'robert')];
    expect(bodyOf(await ask('/kept', bob))).to.include({ made: 2, for: 'robert' });
  });

  it('does not hold a user who has changed since', async () => {
    const present = () => new WeakRef(toy.world.users[0]!);
    const earlier = present();
    await ask('/kept', bob);
    toy.world.users = [user(115, 'robert')];
    expect(await isHeld(earlier)).to.equal(false);
    expect(bodyOf(await ask('/kept', bob))).to.include({ made: 2, for: 'robert' });
  });

  it('is not given to a reader without credentials once these are demanded', async () => {
    const nobody = { 'X-Case': String(n) };
    expect([(await ask('/kept', nobody)).status, (await ask('/kept', nobody)).status]).to.deep.equal([200, 200]);
    toy.world.anonymousAccess = false;
    expect((await ask('/kept', nobody)).status).to.equal(401);
  });

  it('is for no request with a password, a body or another method', async () => {
    const password = { 'X-Case': String(n), ...basic('bob', PASSWORD) };
    await ask('/kept', password);
    await ask('/kept', password);
    expect(made).to.equal(2);
    for (const header of [{ 'Content-Length': '0' }, { 'Transfer-Encoding': 'chunked' }]) {
      await ask('/kept', { ...bob, ...header });
      await ask('/kept', { ...bob, ...header });
    }
    expect(made).to.equal(6);
    await ask('/kept', bob);
    expect((await ask('/kept', bob, 'HEAD')).body.length).to.equal(0);
    expect((await ask('/kept', bob, 'PUT')).status).to.equal(405);
    expect(bodyOf(await ask('/kept', bob))).to.include({ made: 7 });
  });

  it('is a 304, but no 200 in its place', async () => {
    const other = { ...bob, 'If-None-Match': '"6"' };
    await ask('/kept', other);
    expect(bodyOf(await ask('/kept', other))).to.include({ made: 2 });
    const same = { ...bob, 'If-None-Match': '"7"' };
    const [first, second] = [await ask('/kept', same), await ask('/kept', same)];
    expect([first.status, second.status, made]).to.deep.equal([304, 304, 3]);
    expect(second.body.length).to.equal(0);
    expect(lasting(second)).to.deep.equal(lasting(first));
  });

  it('is kept compressed', async () => {
    const asked = { ...bob, 'Accept-Encoding': 'gzip' };
    const [first, second] = [await ask('/long', asked), await ask('/long', asked)];
    expect(made).to.equal(1);
    expect(second.body.equals(first.body)).to.equal(true);
    expect(JSON.parse(gunzipSync(second.body).toString())).to.include({ text: LONG });
    expect(second.headers).to.include({ 'content-encoding': 'gzip', 'content-length': String(first.body.length) });
  });

  it('takes no more memory than it has bytes', async () => {
    const asked = { ...bob, 'Accept-Encoding': 'gzip' };
    const { body } = await ask('/long', asked);
    await collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let nth = 1; nth <= MANY; nth += 1) await ask(`/long?n=${nth}`, asked);
    expect(made).to.equal(1 + MANY);
    const most = MANY * (body.length + SMALL);
    expect(await heldBeyond(before, 'arrayBuffers', most)).to.be.below(most);
  });

  it('is not kept if it is long although it is compressed', async () => {
    for (let time = 1; time <= 2; time += 1) {
      const { body } = await ask('/random', { ...bob, 'Accept-Encoding': 'gzip' });
      expect(body.length).to.be.above(262_144);
      expect(JSON.parse(gunzipSync(body).toString())).to.include({ made: time });
    }
  });

  it('gives way to later ones once all of them are large', async () => {
    const nth = (number: number) => ask(`/large?n=${number}`, bob);
    for (let number = 1; number <= TOO_MANY; number += 1) await nth(number);
    expect(bodyOf(await nth(TOO_MANY))).to.include({ made: TOO_MANY });
    expect(bodyOf(await nth(1))).to.include({ made: TOO_MANY + 1 });
  });

  it('has a line of its own in the log', async () => {
    const id = `of-case-${n}`;
    await ask('/kept?q=words', bob);
    await ask('/kept?q=words', { ...bob, 'X-Request-Id': id });
    expect(made).to.equal(1);
    const line = toy.lines().find(({ requestId }) => requestId === id);
    expect(line).to.include({ msg: 'request', method: 'GET', path: '/api/kept', status: 200, userId: 115 });
    expect(line?.['ms']).to.be.a('number');
  });
});
