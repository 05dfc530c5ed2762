import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { hashOf, identifierOf, newSecret } from '../../src/authentication/access-keys/identifier.js';
import { passwords } from '../../src/authentication/password.js';
import { type Viewer } from '../../src/authorization/viewer.js';
import { type Access } from '../../src/http/route.js';
import { toyRoute as route } from '../http/toy-route.js';
import { basic, PASSWORD, SECRET, toyApp, user, withToken, type Toy, type ToyOptions } from '../http/toy-app.js';

const routes = () =>
  (['public', 'hybrid', 'protected'] satisfies Access[]).map((access) =>
    route<Viewer>({
      method: 'GET',
      path: `/${access}`,
      access,
      summary: 'Who is it?',
      handle({ ctx, viewer }) {
        ctx.body = { userId: viewer.user?.id ?? null };
      },
    }),
  );

describe('authentication', () => {
  let toy: Toy;
  const start = async (options: ToyOptions = {}): Promise<void> => {
    toy = await toyApp({ routes, ...options });
  };
  beforeEach(() => start());
  afterEach(() => toy.close());

  /** What a route answers: the user's id, or the status of a refusal. */
  const ask = async (access: Access, headers: Record<string, string> = {}): Promise<unknown> => {
    const response = await fetch(`${toy.url}/api/${access}`, { headers });
    const body = (await response.json()) as { userId: number | null; error?: { code: number } };
    if (response.status === 200) return { user: body.userId };
    expect(body.error?.code).to.equal(response.status);
    expect(response.headers.has('www-authenticate')).to.equal(response.status === 401);
    return response.status;
  };
  const bobs = (): string => toy.tokens.issue(toy.world.users[0]!);
  const forged = (claims: object, options: jwt.SignOptions, secret = SECRET): string => {
    const { header, payload } = jwt.decode(bobs(), { complete: true })!;
    const { kid, ...rest } = { ...header, ...options.header };
    const header_ = { ...rest, ...(kid !== undefined && { kid }) };
    return jwt.sign({ ...(payload as object), ...claims }, secret, {
      ...options,
      header: { ...header_, alg: options.algorithm ?? 'HS256' },
    });
  };

  it('knows a user by token or by name and password', async () => {
    for (const access of ['hybrid', 'protected'] as const) {
      expect(await ask(access, withToken(bobs(), '115'))).to.deep.equal({ user: 115 });
      expect(await ask(access, basic('ann', PASSWORD))).to.deep.equal({ user: 116 });
      expect(
        await ask(access, { Authorization: basic('ann', PASSWORD)['Authorization']!.replace('Basic', 'bAsIc') }),
      ).to.deep.equal({ user: 116 });
    }
  });

  it('takes any text for a password, with colons, line breaks and letters of any script', async () => {
    for (const password of ['a:b:', 'first\nsecond', 'Käsefuß 🔑']) {
      toy.world.users = [user(115, 'bob', { passwordHash: await passwords().hash(password) })];
      expect(await ask('protected', basic('bob', password)), password).to.deep.equal({ user: 115 });
    }
  });

  it('looks at the token first', async () => {
    expect(await ask('hybrid', { ...withToken(bobs(), '115'), ...basic('ann', 'wrong') })).to.deep.equal({ user: 115 });
    expect(await ask('hybrid', { ...withToken('garbage', '115'), ...basic('ann', PASSWORD) })).to.equal(500);
    const behindProxy = { ...withToken(bobs(), '115'), Authorization: 'Bearer of a proxy' };
    expect(await ask('hybrid', behindProxy)).to.deep.equal({ user: 115 });
  });

  it('admits anonymous readers where the route and the platform do', async () => {
    expect(await ask('public')).to.deep.equal({ user: null });
    expect(await ask('hybrid')).to.deep.equal({ user: null });
    expect(await ask('protected')).to.equal(401);
    toy.world.anonymousAccess = false;
    expect(await ask('public')).to.deep.equal({ user: null });
    expect(await ask('hybrid')).to.equal(401);
  });

  it('takes half of the pair for no credentials', async () => {
    for (const headers of [{ 'X-Auth-Token': bobs() }, { 'X-Auth-UserId': '115' }, { Authorization: ' ' }]) {
      expect(await ask('hybrid', headers)).to.deep.equal({ user: null });
      expect(await ask('protected', headers)).to.equal(401);
    }
  });

  const bad = (): readonly (readonly [string, Record<string, string>])[] => [
    ['garbage', withToken('garbage', '115')],
    ['a token of another', withToken(bobs(), '116')],
    ['a token of nobody', withToken(toy.tokens.issue(user(999, 'nobody')), '999')],
    ['another spelling of the id', withToken(bobs(), '0115')],
    ['a foreign key', withToken(forged({}, {}, 'another secret of thirty-two bytes'), '115')],
    ['another key id', withToken(forged({}, { header: { kid: 'other', alg: 'HS256' } }), '115')],
    ['another algorithm', withToken(forged({}, { algorithm: 'HS512' }), '115')],
    ['no algorithm', withToken(forged({}, { algorithm: 'none' }, ''), '115')],
    ['a changed user', withToken(changed(bobs(), { sub: '116' }), '116')],
    ['claims that are no JSON', withToken(bobs().replace(/\.[^.]+\./, '.bm8gSlNPTg.'), '115')],
    ['no revision', withToken(forged({ rev: 'x' }, {}), '115')],
    ['a wrong password', basic('bob', 'wrong')],
    ['a scheme that it does not speak', { Authorization: 'Bearer x' }],
    ['the name of a scheme alone', { Authorization: 'Digest' }],
    ['an unknown user', basic('nobody', PASSWORD)],
    ['an empty name', basic('', '')],
    ['basic without colon', { Authorization: `Basic ${Buffer.from('bob').toString('base64')}` }],
    ['basic without anything', { Authorization: 'Basic' }],
    ['basic nonsense', { Authorization: 'Basic \u00ff\u00fe' }],
  ];

  it('answers bad credentials with the server error of the contract, also where none would do', async () => {
    for (const [what, headers] of bad()) {
      expect(await ask('hybrid', headers), what).to.equal(500);
      expect(await ask('protected', headers), what).to.equal(500);
      expect(await ask('public', headers), what).to.deep.equal({ user: null });
    }
    expect(toy.lines().filter(({ level }) => level !== 30)).to.deep.equal([]);
  });

  it('answers them with 401 where it is set to', async () => {
    await toy.close();
    await start({ invalidCredentialsStatus: 401 });
    for (const [what, headers] of bad()) expect(await ask('hybrid', headers), what).to.equal(401);
  });

  it('ends a token after 24 hours, used or not', async () => {
    const token = bobs();
    const issued = toy.world.now.getTime();
    toy.world.now = new Date(issued + 86_399_000);
    expect(await ask('hybrid', withToken(token, '115'))).to.deep.equal({ user: 115 });
    toy.world.now = new Date(issued + 86_400_000);
    expect(await ask('hybrid', withToken(token, '115'))).to.equal(401);
    expect(await ask('hybrid', withToken(token, '116'))).to.equal(401);
    expect(await ask('hybrid', withToken(bobs(), '115'))).to.deep.equal({ user: 115 });
  });

  it('refuses a token until five minutes before its issue, so that none of a clock ahead of time outlives its day', async () => {
    const token = bobs();
    const issued = toy.world.now.getTime();
    toy.world.now = new Date(issued - 301_000);
    expect(await ask('hybrid', withToken(token, '115'))).to.equal(401);
    toy.world.now = new Date(issued - 300_000);
    expect(await ask('hybrid', withToken(token, '115'))).to.deep.equal({ user: 115 });
  });

  it('ends revoked tokens at once, one or all before a revision', async () => {
    const [first, second] = [bobs(), bobs()];
    expect(await ask('hybrid', withToken(first, '115'))).to.deep.equal({ user: 115 });
    const { jti } = jwt.decode(first) as jwt.JwtPayload;
    toy.world.users = [user(115, 'bob', { revokedTokens: [{ id: jti!, expiresAt: '2026-03-02T10:00:00.000Z' }] })];
    expect(await ask('hybrid', withToken(first, '115'))).to.equal(500);
    expect(await ask('hybrid', withToken(second, '115'))).to.deep.equal({ user: 115 });
    toy.world.users = [user(115, 'bob', { tokensValidFrom: 1, revision: 1 })];
    expect(await ask('hybrid', withToken(second, '115'))).to.equal(500);
    expect(await ask('hybrid', withToken(bobs(), '115'))).to.deep.equal({ user: 115 });
  });

  it('keeps a suspended user out, who learns of it only with good credentials', async () => {
    const sue = toy.world.users[2]!;
    expect(await ask('hybrid', withToken(toy.tokens.issue(sue), '117'))).to.equal(403);
    expect(await ask('hybrid', basic('sue', PASSWORD))).to.equal(403);
    expect(await ask('hybrid', basic('sue', 'wrong'))).to.equal(500);
    expect(await ask('public', basic('sue', PASSWORD))).to.deep.equal({ user: null });
  });

  it('refuses all credentials while it may be missed that they ended, but serves who has none', async () => {
    const secret = newSecret();
    const key = { id: 7, secretHash: hashOf(secret), description: '', createdAt: '2026-03-01T09:00:00.000Z' };
    const accessKeys = [{ ...key, expiresAt: null, lastUsedAt: null }];
    toy.world.users = [user(115, 'bob', { accessKeys })];
    const all = [
      withToken(bobs(), '115'),
      { 'X-Auth-AccessKey': identifierOf({ accessKeyId: 7, secret }) },
      basic('bob', PASSWORD),
    ];
    for (const headers of all) expect(await ask('hybrid', headers)).to.deep.equal({ user: 115 });
    toy.world.followsLog = false;
    for (const headers of all) expect(await ask('hybrid', headers)).to.equal(503);
    expect(await ask('hybrid')).to.deep.equal({ user: null });
  });

  it('signs with the first key and verifies with all', async () => {
    const [old, young] = [SECRET, `${randomUUID()}${randomUUID()}`];
    const issuedBefore = bobs();
    await toy.close();
    await start({ secrets: [young, old] });
    expect(await ask('protected', withToken(issuedBefore, '115'))).to.deep.equal({ user: 115 });
    const issuedAfter = bobs();
    await toy.close();
    await start({ secrets: [young] });
    expect(await ask('protected', withToken(issuedAfter, '115'))).to.deep.equal({ user: 115 });
    expect(await ask('protected', withToken(issuedBefore, '115'))).to.equal(500);
  });

  it('notices a new password at once', async () => {
    expect(await ask('hybrid', basic('bob', PASSWORD))).to.deep.equal({ user: 115 });
    toy.world.users = [
      user(115, 'bob', {
        passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21l$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      }),
    ];
    expect(await ask('hybrid', basic('bob', PASSWORD))).to.equal(500);
  });
});

/** The token with other claims under its old signature. */
function changed(token: string, claims: object): string {
  const [head, payload = '', signature] = token.split('.');
  const old = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  return [head, Buffer.from(JSON.stringify({ ...old, ...claims })).toString('base64url'), signature].join('.');
}
