import { expect } from 'chai';
import { proxyMatcher } from '../../../src/http/client/client.js';
import { setLocation } from '../../../src/http/location.js';
import { toyRoute as route } from '../toy-route.js';
import { toyApp, type Toy, type ToyOptions } from '../toy-app.js';

const routes = () => [
  route({
    method: 'GET',
    path: '/whoami',
    access: 'public',
    summary: 'Who the client is taken for.',
    handle({ ctx }) {
      setLocation(ctx, 'here');
      ctx.body = { address: ctx.state.address };
    },
  }),
];

describe('client', () => {
  let toy: Toy;
  afterEach(() => toy.close());

  const ask = async (options: ToyOptions, headers: string, host = 'Host: ledger.test\r\n'): Promise<string> => {
    toy = await toyApp({ routes, ...options });
    return toy.raw(`GET /api/whoami HTTP/1.1\r\n${host}${headers}\r\n`);
  };
  const forwarded =
    'X-Forwarded-For: 1.1.1.1, 203.0.113.7, 10.0.0.9\r\nX-Forwarded-Proto: HTTPS\r\nX-Forwarded-Host: outside.test:8443\r\n';

  it('is the address of the connection without trusted proxies', async () => {
    const answer = await ask({}, forwarded);
    expect(answer).to.include('{"address":"127.0.0.1"}');
    expect(answer).to.include('Location: http://ledger.test/api/here\r\n');
  });

  it('is told once to be the sender of what is not believed', async () => {
    await ask({}, forwarded);
    await toy.raw(`GET /api/whoami HTTP/1.1\r\nHost: ledger.test\r\n${forwarded}\r\n`);
    const warnings = toy.lines().filter(({ msg }) => String(msg).startsWith('X-Forwarded-For'));
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ address: '127.0.0.1' });
    expect(warnings[0]?.['msg']).to.include('TRUSTED_PROXIES');
  });

  it('is what trusted proxies say, up to the first that is not', async () => {
    const answer = await ask({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/24'] }, forwarded);
    expect(answer).to.include('{"address":"203.0.113.7"}');
    expect(answer).to.include('Location: https://outside.test:8443/api/here\r\n');
  });

  it('is the last that can be read when a proxy says nonsense', async () => {
    const answer = await ask({ trustedProxies: ['127.0.0.1'] }, 'X-Forwarded-For: 203.0.113.7, unknown\r\n');
    expect(answer).to.include('{"address":"127.0.0.1"}');
  });

  it('has one spelling', async () => {
    const answer = await ask({ trustedProxies: ['127.0.0.1'] }, 'X-Forwarded-For: [2001:DB8::1]:4711\r\n');
    expect(answer).to.include('{"address":"2001:db8::1"}');
  });

  it('is IPv4 where it is IPv4 in the form of IPv6', async () => {
    const mapped = ['::ffff:203.0.113.7', '::FFFF:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7', '[::ffff:cb00:7107]:4711'];
    for (const address of mapped) {
      const answer = await ask({ trustedProxies: ['127.0.0.1'] }, `X-Forwarded-For: ${address}\r\n`);
      expect(answer, address).to.include('{"address":"203.0.113.7"}');
      await toy.close();
    }
  });

  it('gets the public address where one is configured', async () => {
    const answer = await ask({ publicUrl: 'https://ledger.example.org', trustedProxies: ['127.0.0.1'] }, forwarded);
    expect(answer).to.include('Location: https://ledger.example.org/api/here\r\n');
  });

  it('has to name one host, in HTTP/1.1', async () => {
    const two = 'Host: a.test\r\nhost: b.test\r\n';
    for (const host of ['', 'Host: a b\r\n', 'Host: evil.test/path\r\n', 'Host: <script>\r\n', two]) {
      const answer = await ask({}, '', host);
      expect(answer, host).to.match(/^HTTP\/1.1 400 .*"code":400/s);
      await toy.close();
    }
    toy = await toyApp({ routes });
    expect(await toy.raw('GET /api/whoami HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1.1 200 /);
  });
});

describe('trusted proxies', () => {
  it('are addresses and networks', () => {
    const isTrusted = proxyMatcher(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32']);
    for (const address of ['192.0.2.1', '10.9.9.9', '2001:db8::5']) expect(isTrusted(address)).to.equal(true);
    for (const address of ['192.0.2.2', '11.0.0.1', '2001:db9::1', '', 'x']) expect(isTrusted(address)).to.equal(false);
  });

  it('are nothing else', () => {
    for (const proxy of ['x', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '/8']) {
      expect(() => proxyMatcher([proxy]), proxy).to.throw(RangeError, proxy);
    }
  });
});
