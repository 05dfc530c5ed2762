import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { hashOf, identifierOf, newSecret } from '../../../src/authentication/access-keys/identifier.js';
import { passwords } from '../../../src/authentication/password.js';
import { type Viewer } from '../../../src/authorization/viewer.js';
import { type UserView } from '../../../src/users/user-view.js';
import { halfwayThrough, type HalvedAnswer } from '../../support/halfway.js';
import { basic, PASSWORD, toyApp, user, withToken, type Toy } from '../toy-app.js';
import { toyRoute as route } from '../toy-route.js';

/** Twice as many bytes as are read of an unknown sender. */
const LONG = JSON.stringify({ a: 'x'.repeat(131_072) });
const DAY_MS = 24 * 60 * 60 * 1000;
const SOON = '2026-03-01T10:10:00.000Z';
const ANOTHER_PASSWORD = await passwords().hash('another password');

const secret = newSecret();
const key = { id: 7, secretHash: hashOf(secret), description: '', createdAt: '2026-03-01T09:00:00.000Z' };
const withKey = { 'X-Auth-AccessKey': identifierOf({ accessKeyId: key.id, secret }) };
const withPassword = basic('bob', PASSWORD);

describe('The sender of a long body', () => {
  let toy: Toy;
  let served: Viewer[];
  beforeEach(async () => {
    served = [];
    const routes = () =>
      (['protected', 'hybrid'] as const).map((access) =>
        route<Viewer, object, object, object>({
          method: 'POST',
          path: `/${access}`,
          access,
          summary: 'Tells who was served.',
          body: { type: 'object' },
          handle({ viewer }) {
            served.push(viewer);
          },
        }),
      );
    toy = await toyApp({ routes });
    become({ accessKeys: [{ ...key, expiresAt: SOON, lastUsedAt: null }] });
  });
  afterEach(() => toy.close());

  const become = (changes: Partial<UserView>): void => {
    toy.world.users = [user(115, 'bob', changes)];
  };
  const pass = (milliseconds: number): void => {
    toy.world.now = new Date(toy.world.now.getTime() + milliseconds);
  };
  const bobs = (): Record<string, string> => withToken(toy.tokens.issue(toy.world.users[0]!), '115');
  const idOf = (headers: Record<string, string>) => (jwt.decode(headers['X-Auth-Token']!) as jwt.JwtPayload).jti!;
  const send = (headers: Record<string, string>, meanwhile: () => unknown, access = 'protected') =>
    halfwayThrough({ method: 'POST', url: `${toy.url}/api/${access}`, headers, body: LONG }, meanwhile);
  const short = async (headers: Record<string, string>, access: string) => {
    const answer = await fetch(`${toy.url}/api/${access}`, { method: 'POST', headers });
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    return { status: answer.status, message: error.message, asks: answer.headers.get('www-authenticate') };
  };
  const refusal = ({ status, message, headers }: HalvedAnswer) => ({
    status,
    message,
    asks: headers['www-authenticate'] ?? null,
  });

  const all = { token: bobs, 'access key': () => withKey, password: () => withPassword };
  for (const [credentials, what, status, meanwhile] of [
    [
      'token',
      'is signed out',
      500,
      (sent) => {
        become({ revokedTokens: [{ id: idOf(sent), expiresAt: SOON }] });
      },
    ],
    [
      'token',
      'is signed out with all others',
      500,
      () => {
        become({ tokensValidFrom: 1, revision: 1 });
      },
    ],
    [
      'token',
      'expires',
      401,
      () => {
        pass(DAY_MS);
      },
    ],
    [
      'access key',
      'is revoked',
      500,
      () => {
        become({ accessKeys: [] });
      },
    ],
    [
      'access key',
      'expires',
      500,
      () => {
        pass(DAY_MS);
      },
    ],
    [
      'password',
      'is changed',
      500,
      () => {
        become({ passwordHash: ANOTHER_PASSWORD });
      },
    ],
    ...(['token', 'access key', 'password'] as const).flatMap(
      (each) =>
        [
          [
            each,
            'is that of a suspended user',
            403,
            () => {
              become({ ...toy.world.users[0], status: 'suspended' });
            },
          ],
          [each, 'is that of nobody', 500, () => (toy.world.users = [])],
        ] as const,
    ),
    ...(['token', 'access key', 'password'] as const).map(
      (each) => [each, 'may have ended unseen', 503, () => (toy.world.followsLog = false)] as const,
    ),
  ] satisfies (readonly [keyof typeof all, string, number, (sent: Record<string, string>) => unknown])[]) {
    it(`is refused like any other request if the ${credentials} ${what} while the body comes`, async () => {
      const sent = all[credentials]();
      const answer = await send(sent, () => meanwhile(sent));
      expect(answer.status).to.equal(status);
      expect(refusal(answer)).to.deep.equal(await short(sent, 'protected'));
      expect(served).to.deep.equal([]);
    });
  }

  it('is refused without credentials if anonymous readers are no longer welcome', async () => {
    const answer = await send({}, () => (toy.world.anonymousAccess = false), 'hybrid');
    expect(answer.status).to.equal(401);
    expect(refusal(answer)).to.deep.equal(await short({}, 'hybrid'));
  });

  for (const [credentials, headers] of Object.entries(all)) {
    it(`is served as the user is by then, with the ${credentials}`, async () => {
      const answer = await send(headers(), () => {
        become({ ...toy.world.users[0], siteAdmin: true, revision: 1 });
      });
      expect(answer.status, answer.message).to.equal(200);
      expect(served.map((viewer) => viewer.isSiteAdmin())).to.deep.equal([true]);
    });
  }

  it('has no failed sign-ins counted for a password that was changed', async () => {
    expect((await send(withPassword, () => undefined)).status).to.equal(200);
    const change = () => {
      become({ passwordHash: ANOTHER_PASSWORD });
    };
    const answers = await Promise.all(Array.from({ length: 11 }, () => send(withPassword, change)));
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 500));
    expect((await send(basic('bob', 'another password'), () => undefined)).status).to.equal(200);
  });
});
