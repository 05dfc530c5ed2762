import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../../src/logging/logger.js';
import { userStream } from '../../../src/users/user-events.js';
import { basic, withToken } from '../../http/toy-app.js';
import { runService, type RunningService } from '../../support/service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

interface Issued {
  readonly user_id: string;
  readonly token: string;
  readonly uri: string;
}

const PASSWORD = 'correct horse';
const PLATFORM = `
users:
  - { username: bob, real_name: Bob, email: bob@example.org, password: ${PASSWORD} }
  - { username: ann, real_name: Ann, email: ann@example.org, password: ${PASSWORD} }
  - { username: sue, real_name: Sue, email: sue@example.org, password: ${PASSWORD}, status: suspended }
`;
const FORGOTTEN_AFTER_S = 15 * 60;

describe('token routes', () => {
  let api: RunningService;
  let files: TemporaryDirectory;
  let bobsId: string;
  let logged = '';
  let ahead = 0;
  const passes = (seconds: number): void => {
    ahead += seconds;
    writeFileSync(join(files.path, 'offset'), String(ahead));
  };
  before(async () => {
    files = await temporaryDirectory();
    api = await runService({
      platform: PLATFORM,
      env: { TEST_CLOCK_OFFSET_FILE: join(files.path, 'offset') },
      logger: createLogger('info', { write: (line) => void (logged += line) }),
    });
    bobsId = String(api.user('bob'));
  });
  after(async () => {
    await api.stop();
    await files.remove();
  });

  const post = (body: unknown, type = 'application/json'): Promise<Response> =>
    fetch(`${api.url}/api/tokens`, {
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
    fetch(api.url + path, { method: 'DELETE', headers: { ...headers, 'Content-Type': 'application/json' } });
  const whoami = async (issued: Issued): Promise<number> =>
    (await fetch(`${api.url}/api/users/self`, { headers: withToken(issued.token, issued.user_id) })).status;

  it('exchange a name and a password for a token', async () => {
    const issued = await signIn();
    expect(Object.keys(issued)).to.deep.equal(['user_id', 'token', 'uri']);
    expect(issued.user_id).to.equal(bobsId);
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

  it('let no token from before a suspension live when the user comes back', async () => {
    const before = await signIn('ann');
    const become = (status: string) =>
      api.operate('apply', {
        text: `users: [{ username: ann, real_name: Ann, email: ann@example.org, status: ${status} }]`,
        prune: false,
        env: {},
      });
    await become('suspended');
    expect(await whoami(before)).to.equal(403);
    await become('active');
    expect(await whoami(before)).to.equal(500);
    const headers = withToken(before.token, before.user_id);
    expect((await fetch(`${api.url}/api/projects`, { headers })).status).to.equal(500);
    expect(await whoami(await signIn('ann'))).to.equal(200);
  });

  it('do not look at the credentials of a sign-in', async () => {
    const headers = { ...withToken('garbage', bobsId), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ username: 'bob', password: PASSWORD });
    expect((await fetch(`${api.url}/api/tokens`, { method: 'POST', body, headers })).status).to.equal(200);
  });

  it('sign out one token', async () => {
    const [first, second] = [await signIn(), await signIn()];
    passes(3600);
    const begun = api.service.clock();
    const response = await remove(first.uri, withToken(second.token, second.user_id));
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal('');
    expect(await whoami(first)).to.equal(500);
    expect(await whoami(second)).to.equal(200);
    const { events } = await api.service.log.read(userStream(api.user('bob')));
    expect(events.at(-1)).to.deep.include({ type: 'TokenRevoked' });
    expect(events.at(-1)?.metadata).to.deep.include({ actor: api.user('bob') });
    expect(new Date(events.at(-1)!.metadata.at)).to.be.within(begun, api.service.clock());
  });

  it('sign out the token that asks', async () => {
    const issued = await signIn();
    expect((await remove(issued.uri, withToken(issued.token, bobsId))).status).to.equal(200);
    expect(await whoami(issued)).to.equal(500);
  });

  it('sign out tokens for good after the clock was ahead for a while', async () => {
    const issued = [await signIn(), await signIn(), await signIn()];
    const [first, second, third] = issued as [Issued, Issued, Issued];
    passes(72 * 3600);
    const early = await signIn();
    expect((await remove(early.uri, withToken(early.token, bobsId))).status).to.equal(200);
    passes(-72 * 3600);
    expect((await remove(first.uri, withToken(third.token, bobsId))).status).to.equal(200);
    expect((await remove(second.uri, withToken(third.token, bobsId))).status).to.equal(200);
    expect(await Promise.all(issued.map(whoami))).to.deep.equal([500, 500, 200]);
  });

  it('sign out tokens for good before the clock is ahead for a while', async () => {
    const [first, second] = [await signIn(), await signIn()];
    expect((await remove(first.uri, withToken(first.token, bobsId))).status).to.equal(200);
    passes(36 * 3600);
    const early = await signIn();
    expect((await remove(early.uri, withToken(early.token, bobsId))).status).to.equal(200);
    passes(-36 * 3600);
    expect(await Promise.all([first, second, early].map(whoami))).to.deep.equal([500, 200, 401]);
  });

  it('sign out no token of a clock that was ahead, lest signed-out tokens come back', async () => {
    const first = await signIn();
    expect((await remove(first.uri, withToken(first.token, bobsId))).status).to.equal(200);
    passes(72 * 3600);
    const early = await signIn();
    passes(-72 * 3600);
    expect((await remove(early.uri, basic('bob', PASSWORD))).status).to.equal(400);
    expect(await Promise.all([first, early].map(whoami))).to.deep.equal([500, 401]);
  });

  it('sign out no token that is not one of the user', async () => {
    const [bobs, anns] = [await signIn(), await signIn('ann')];
    expect((await remove(anns.uri, withToken(bobs.token, bobsId))).status).to.equal(400);
    expect((await remove('/api/tokens/garbage', withToken(bobs.token, bobsId))).status).to.equal(400);
    expect((await remove(bobs.uri, {})).status).to.equal(401);
    expect((await remove(bobs.uri, basic('bob', PASSWORD))).status).to.equal(200);
    expect((await remove(bobs.uri, basic('bob', PASSWORD))).status).to.equal(400);
  });

  it('sign out no token that has expired', async () => {
    const { uri } = await signIn();
    const count = async () => (await api.service.log.read(userStream(api.user('bob')))).events.length;
    const before = await count();
    passes(24 * 3600);
    expect((await remove(uri, basic('bob', PASSWORD))).status).to.equal(400);
    expect(await count()).to.equal(before);
  });

  it('sign out everywhere, until the next sign-in', async () => {
    const issued = [await signIn(), await signIn(), await signIn('ann')];
    expect((await remove('/api/tokens', withToken(issued[0]!.token, bobsId))).status).to.equal(200);
    expect(await Promise.all(issued.map(whoami))).to.deep.equal([500, 500, 200]);
    expect(await whoami(await signIn())).to.equal(200);
  });

  it('make an account with ten failures wait, by every way of sign-in and with any password', async () => {
    const tryBasic = (password: string): Promise<Response> =>
      fetch(`${api.url}/api/users/self`, { headers: basic('bob', password) });
    await signIn();
    const begun = api.service.clock();
    let failed = begun;
    for (let time = 0; time < 5; time += 1) {
      expect((await post({ username: 'bob', password: 'wrong' })).status).to.equal(500);
      if (time === 0) failed = api.service.clock();
      expect((await tryBasic('wrong')).status).to.equal(500);
    }
    for (const attempt of [() => post({ username: 'bob', password: PASSWORD }), () => tryBasic(PASSWORD)]) {
      const asked = api.service.clock();
      const refused = await attempt();
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(
        secondsToWait(begun, api.service.clock()),
        secondsToWait(failed, asked),
      );
    }
    expect((await post({ username: 'ann', password: PASSWORD })).status).to.equal(200);
    passes(FORGOTTEN_AFTER_S);
    expect((await post({ username: 'bob', password: PASSWORD })).status).to.equal(200);
  });

  it('exist for nothing else', async () => {
    const { token } = await signIn();
    const read = await fetch(`${api.url}/api/tokens`);
    expect([read.status, read.headers.get('allow')]).to.deep.equal([405, 'OPTIONS, POST, DELETE']);
    expect((await fetch(`${api.url}/api/tokens/${token}`)).status).to.equal(405);
  });

  it('name who signed in, in the log', async () => {
    logged = '';
    const { token } = await signIn();
    expect(logged)
      .to.match(new RegExp(`"path":"/api/tokens","status":200,.*"userId":${bobsId}[,}]`))
      .and.not.include(token);
  });

  it('leave no token and no password in the log', async () => {
    logged = '';
    const issued = await signIn();
    await remove(issued.uri, withToken(issued.token, bobsId));
    await remove(`/api/v1/TOKENS/${issued.token}/`, basic('bob', PASSWORD));
    await remove(`/nowhere/${issued.token}`, {});
    expect(logged).to.include('"path":"/api/tokens/[redacted]"');
    expect(logged).not.to.include(issued.token.split('.')[1]);
    expect(logged).not.to.include(PASSWORD);
  });
});

/** Whole ones, at that moment, for what was forbidden since. */
function secondsToWait(since: Date, now: Date): number {
  return Math.ceil((since.getTime() - now.getTime()) / 1000 + FORGOTTEN_AFTER_S);
}
