import { expect } from 'chai';
import { projectUsers } from './project-users.js';
import { handle } from '../../src/core/handle.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { route } from '../../src/http/route.js';
import { sqliteEventLog, type SqliteEventLog } from '../../src/stores/sqlite-event-log.js';
import { tokenRoutes } from '../../src/tokens/routes.js';
import { userStream } from '../../src/users/user.js';
import { userDecider } from '../../src/users/user-decider.js';
import { basic, PASSWORD, toyApp, withToken, type Toy } from '../http/toy-app.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

interface Issued {
  readonly user_id: string;
  readonly token: string;
  readonly uri: string;
}

describe('token routes', () => {
  let toy: Toy;
  let log: SqliteEventLog;
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    log = await sqliteEventLog(directory.path);
    const readModels: Pick<ReadModels, 'caughtUp'> = {
      caughtUp: async () => {
        toy.world.users = await projectUsers(log, toy.world.users);
        return true;
      },
    };
    toy = await toyApp({
      routes: (parts) => [
        ...tokenRoutes({ ...parts, log, readModels }),
        route({
          method: 'GET',
          path: '/whoami',
          access: 'protected',
          summary: 'Who is it?',
          handle({ ctx, viewer }) {
            ctx.body = { id: viewer.user?.id };
          },
        }),
      ],
    });
    for (const { id: userId, username, realName, email, passwordHash, siteAdmin } of toy.world.users) {
      await handle(log, userDecider, {
        stream: userStream(userId),
        commandId: `register ${userId}`,
        metadata: { actor: null, at: '2026-01-01T00:00:00.000Z' },
        command: () => ({ type: 'RegisterUser' as const, userId, username, realName, email, passwordHash, siteAdmin }),
      });
    }
  });
  afterEach(async () => {
    await toy.close();
    await log.close();
    await directory.remove();
  });

  const post = (body: unknown, type = 'application/json'): Promise<Response> =>
    fetch(`${toy.url}/api/tokens`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': type },
    });
  const signIn = async (username = 'bob'): Promise<Issued> => {
    const response = await post({ username, password: PASSWORD });
    expect(response.status).to.equal(200);
    return (await response.json()) as Issued;
  };
  const remove = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(toy.url + path, { method: 'DELETE', headers: { ...headers, 'Content-Type': 'application/json' } });
  const whoami = async (issued: Issued): Promise<number> =>
    (await fetch(`${toy.url}/api/whoami`, { headers: withToken(issued.token, issued.user_id) })).status;

  it('exchange a name and a password for a token', async () => {
    const issued = await signIn();
    expect(Object.keys(issued)).to.deep.equal(['user_id', 'token', 'uri']);
    expect(issued.user_id).to.equal('115');
    expect(issued.uri).to.equal(`/api/tokens/${issued.token}`);
    expect(await whoami(issued)).to.equal(200);
  });

  it('take a form too', async () => {
    const form = new URLSearchParams({ username: 'bob', password: PASSWORD }).toString();
    expect((await post(form, 'application/x-www-form-urlencoded')).status).to.equal(200);
  });

  it('refuse a sign-in that is not one', async () => {
    for (const body of [
      {},
      { username: 'bob' },
      { username: '', password: 'x' },
      { username: 'bob', password: '' },
      [],
    ]) {
      expect((await post(body)).status).to.equal(400);
    }
    expect((await post({ username: 5, password: 'x' })).status).to.equal(400);
    expect((await post('{')).status).to.equal(400);
    expect((await post('username=bob', 'text/plain')).status).to.equal(415);
  });

  it('refuse bad credentials, and good ones of a suspended user', async () => {
    const wrong = await post({ username: 'bob', password: 'wrong' });
    expect(wrong.status).to.equal(500);
    expect(await wrong.json())
      .to.have.nested.property('error.message')
      .that.matches(/^Internal Server Error: .*wrong/);
    expect((await post({ username: 'nobody', password: PASSWORD })).status).to.equal(500);
    expect((await post({ username: 'sue', password: PASSWORD })).status).to.equal(403);
  });

  it('do not look at the credentials of a sign-in', async () => {
    const headers = { ...withToken('garbage', '115'), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ username: 'bob', password: PASSWORD });
    expect((await fetch(`${toy.url}/api/tokens`, { method: 'POST', body, headers })).status).to.equal(200);
  });

  it('sign out one token', async () => {
    const [first, second] = [await signIn(), await signIn()];
    const response = await remove(first.uri, withToken(second.token, second.user_id));
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal('');
    expect(await whoami(first)).to.equal(500);
    expect(await whoami(second)).to.equal(200);
    const { events } = await log.read(userStream(115));
    expect(events.at(-1)).to.deep.include({ type: 'TokenRevoked' });
    expect(events.at(-1)?.metadata).to.deep.include({ actor: 115, at: toy.world.now.toISOString() });
  });

  it('sign out the token that asks', async () => {
    const issued = await signIn();
    expect((await remove(issued.uri, withToken(issued.token, '115'))).status).to.equal(200);
    expect(await whoami(issued)).to.equal(500);
  });

  it('sign out no token that is not one of the user', async () => {
    const [bobs, anns] = [await signIn(), await signIn('ann')];
    expect((await remove(anns.uri, withToken(bobs.token, '115'))).status).to.equal(400);
    expect((await remove('/api/tokens/garbage', withToken(bobs.token, '115'))).status).to.equal(400);
    expect((await remove(bobs.uri, {})).status).to.equal(401);
    expect((await remove(bobs.uri, basic('bob', PASSWORD))).status).to.equal(200);
    expect((await remove(bobs.uri, basic('bob', PASSWORD))).status).to.equal(400);
  });

  it('sign out everywhere, until the next sign-in', async () => {
    const issued = [await signIn(), await signIn(), await signIn('ann')];
    expect((await remove('/api/tokens', withToken(issued[0]!.token, '115'))).status).to.equal(200);
    expect(await Promise.all(issued.map(whoami))).to.deep.equal([500, 500, 200]);
    expect(await whoami(await signIn())).to.equal(200);
  });

  it('make who fails ten times wait, whichever way, and whatever the password', async () => {
    const tryBasic = (password: string): Promise<Response> =>
      fetch(`${toy.url}/api/whoami`, { headers: basic('bob', password) });
    for (let time = 0; time < 5; time += 1) {
      expect((await post({ username: 'bob', password: 'wrong' })).status).to.equal(500);
      expect((await tryBasic('wrong')).status).to.equal(500);
    }
    for (const refused of [await post({ username: 'bob', password: PASSWORD }), await tryBasic(PASSWORD)]) {
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('retry-after')).to.equal('900');
    }
    expect((await post({ username: 'ann', password: PASSWORD })).status).to.equal(200);
    toy.world.now = new Date(toy.world.now.getTime() + 15 * 60_000);
    expect((await post({ username: 'bob', password: PASSWORD })).status).to.equal(200);
  });

  it('exist for nothing else', async () => {
    const { token } = await signIn();
    const read = await fetch(`${toy.url}/api/tokens`);
    expect([read.status, read.headers.get('allow')]).to.deep.equal([405, 'OPTIONS, POST, DELETE']);
    expect((await fetch(`${toy.url}/api/tokens/${token}`)).status).to.equal(405);
  });

  it('leave no token and no password in the log', async () => {
    const issued = await signIn();
    await remove(issued.uri, withToken(issued.token, '115'));
    await remove(`/api/v1/TOKENS/${issued.token}/`, basic('bob', PASSWORD));
    await remove(`/nowhere/${issued.token}`, {});
    expect(toy.text()).to.include('"path":"/api/tokens/[redacted]"');
    expect(toy.text()).not.to.include(issued.token.split('.')[1]);
    expect(toy.text()).not.to.include(PASSWORD);
  });
});
