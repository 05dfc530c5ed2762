import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type AccessKeyEvent } from '../../../src/users/access-key-events.js';
import { fold } from '../../../src/core/decider.js';
import { handle } from '../../../src/core/handle.js';
import { userDecider, type UserCommand } from '../../../src/users/user.js';
import { userStream, type UserEvent } from '../../../src/users/user-events.js';
import { USERS } from '../../../src/users/user-view.js';
import { halfwayThrough } from '../../support/halfway.js';
import { runService, type RunningService } from '../../support/service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const DAY_S = 24 * 60 * 60;

describe('access keys over HTTP', () => {
  let api: RunningService;
  let files: TemporaryDirectory;
  const clockFile = () => join(files.path, 'offset');
  const secondsAhead = (seconds: number): void => {
    writeFileSync(clockFile(), String(seconds));
  };
  before(async () => {
    files = await temporaryDirectory();
    api = await runService({ env: { TEST_CLOCK_OFFSET_FILE: clockFile() } });
  });
  after(async () => {
    await api.stop();
    await files.remove();
  });
  beforeEach(() => {
    secondsAhead(0);
  });

  const created = async (as: string, body: object = { description: 'CI' }): Promise<string> => {
    const answer = await api.post('/access_keys', { as, body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.identifier;
  };
  const using = (identifier: string) => ({ headers: { 'X-Auth-AccessKey': identifier } });
  const idOf = (identifier: string): number => Number(/^tlp-k1-(\d+)\./.exec(identifier)?.[1]);
  const revoke = (identifier: string, as: string) => api.request('DELETE', `/access_keys/${idOf(identifier)}`, { as });
  const eventsOf = async (username: string) =>
    (await api.service.log.read<UserEvent>(userStream(api.user(username)))).events;
  const execute = async (username: string, command: UserCommand): Promise<void> => {
    const { position } = await handle(api.service.log, userDecider, {
      stream: userStream(api.user(username)),
      commandId: randomUUID(),
      metadata: { actor: null, at: api.service.clock().toISOString() },
      command: () => command,
    });
    await api.service.readModels.caughtUp(USERS, position!);
  };

  it('are made, shown once, and used on every kind of route', async () => {
    const answer = await api.post('/access_keys', { as: 'bob', body: { description: 'CI', scopes: ['write:rest'] } });
    expect(answer.status).to.equal(201);
    const { identifier } = answer.body;
    expect(answer.body).to.deep.equal({ identifier });
    expect(identifier).to.match(/^tlp-k1-\d+\.[0-9a-f]{64}$/);
    expect(answer.headers.get('location')).to.equal(`${api.url}/api/access_keys/${idOf(identifier)}`);

    expect((await api.get('/users/self', using(identifier))).body).to.include({ username: 'bob' });
    expect((await api.get('/projects', using(identifier))).status).to.equal(200);
    const body = { tracker: { id: api.tracker('note') }, values_by_field: { title: { value: 'By key' } } };
    expect((await api.post('/artifacts', { body, ...using(identifier) })).status).to.equal(201);
  });

  it('are listed for their owner, without the secret', async () => {
    const identifier = await created('carol', { description: 'Backup', expiration_date: '2099-08-07T10:15:57+02:00' });
    const { status, body, headers } = await api.get('/users/self/access_keys', { as: 'carol' });
    expect(status).to.equal(200);
    expect(body).to.have.length(1);
    const { creation_date: creation, ...key } = body[0];
    expect(creation).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    expect(key).to.deep.include({
      id: idOf(identifier),
      description: 'Backup',
      expiration_date: '2099-08-07T08:15:57+00:00',
      last_used_on: null,
      last_used_by: null,
    });
    expect(key.scopes.map((scope: { key: string }) => scope.key)).to.deep.equal(['write:rest']);
    expect(JSON.stringify(body)).not.to.include(identifier.split('.')[1]);
    expect(headers.get('x-pagination-size')).to.equal('1');
    expect(headers.get('x-pagination-limit-max')).to.equal('50');

    const carol = `/users/${api.user('carol')}/access_keys`;
    expect((await api.get(carol, { as: 'carol' })).body).to.deep.equal(body);
    expect((await api.get(carol, { as: 'alice' })).status).to.equal(403);
    expect((await api.get(carol)).status).to.equal(401);
    expect((await api.get('/users/0x/access_keys', { as: 'carol' })).status).to.equal(400);
    expect((await api.get(`${carol}?limit=51`, { as: 'carol' })).status).to.equal(400);
  });

  it('are listed page by page, oldest first', async () => {
    const ids: number[] = [];
    for (let made = 0; made < 3; made += 1) ids.push(idOf(await created('alice', {})));
    const page = await api.get('/users/self/access_keys?limit=2&offset=1', { as: 'alice' });
    expect(page.body.map(({ id }: { id: number }) => id)).to.deep.equal(ids.slice(1));
    expect(page.headers.get('x-pagination-size')).to.equal('3');
  });

  it('show one of the own, or the one in use', async () => {
    const identifier = await created('bob');
    const [self, byId] = [
      await api.get('/access_keys/self', using(identifier)),
      await api.get(`/access_keys/${idOf(identifier)}`, { as: 'bob' }),
    ];
    expect(self.body.id).to.equal(idOf(identifier));
    expect(byId.body).to.include({ id: idOf(identifier), description: 'CI' });
    expect((await api.get('/access_keys/self', { as: 'bob' })).status).to.equal(404);
    expect((await api.get(`/access_keys/${idOf(identifier)}`, { as: 'carol' })).status).to.equal(404);
    expect((await api.get(`/access_keys/${idOf(identifier)}`)).status).to.equal(401);
  });

  it('leave the token of their user alone while two requests revoke one key', async () => {
    for (let round = 0; round < 20; round += 1) {
      const identifier = await created('carol');
      const revoked = async (): Promise<number> => {
        await revoke(identifier, 'carol');
        return (await api.get('/users/self', { as: 'carol' })).status;
      };
      expect(await Promise.all([revoked(), revoked()])).to.deep.equal([200, 200]);
    }
  });

  it('need a user and a sound request', async () => {
    expect((await api.post('/access_keys', { body: {} })).status).to.equal(401);
    const past = '2001-01-01T00:00:00Z';
    const inYear10000 = '9999-12-31T23:00:00-01:00';
    for (const expiration of [past, inYear10000, 'tomorrow', '', '2099-02-31T00:00:00Z', '2099-01-01', 5]) {
      const answer = await api.post('/access_keys', { as: 'bob', body: { expiration_date: expiration } });
      expect(answer.status, String(expiration)).to.equal(400);
      expect(answer.body.error.details[0].pointer).to.equal('/expiration_date');
    }
    expect((await api.post('/access_keys', { as: 'bob', body: { description: 5 } })).status).to.equal(400);
    const unnamed = await created('bob', { description: null, expiration_date: null, scopes: null });
    expect((await api.get(`/access_keys/${idOf(unnamed)}`, { as: 'bob' })).body.description).to.equal('');
  });

  it('may be made with a key as well, by a script that never sees a password', async () => {
    const answer = await api.post('/access_keys', { body: { description: 'next' }, ...using(await created('bob')) });
    expect(answer.status).to.equal(201);
    expect((await api.get('/users/self', using(answer.body.identifier))).body).to.include({ username: 'bob' });
  });

  it('are bad credentials with any fault, and are not counted', async () => {
    const identifier = await created('bob');
    const otherSecret = identifier.slice(0, -1) + (identifier.endsWith('0') ? '1' : '0');
    for (const bad of [
      'garbage',
      otherSecret,
      identifier.replace(/-\d+\./, '-99999.'),
      'tlp-k1-1.',
      `${identifier}0`,
    ]) {
      for (let time = 0; time < 5; time += 1) {
        const { status, body } = await api.get('/projects', using(bad));
        expect(status, bad).to.equal(500);
        expect(body.error.message).to.match(/access key is not valid/);
      }
    }
    const signIn = { username: 'bob', password: "bob's password" };
    expect((await api.post('/tokens', { body: signIn, ...using('garbage') })).status).to.equal(200);
    expect((await api.get('/projects', using(''))).status).to.equal(200);
  });

  it('come before a token that is sent along', async () => {
    const bobs = await created('bob');
    const both = { as: 'carol', ...using(bobs) };
    expect((await api.get('/users/self', both)).body).to.include({ username: 'bob' });
    expect((await api.get('/users/self', { as: 'carol', ...using('garbage') })).status).to.equal(500);
  });

  it('end at their expiration', async () => {
    const expiration = new Date(Date.now() + 3600_000).toISOString();
    const identifier = await created('bob', { expiration_date: expiration });
    secondsAhead(3590);
    expect((await api.get('/users/self', using(identifier))).status).to.equal(200);
    secondsAhead(3610);
    const { status, body } = await api.get('/projects', using(identifier));
    expect([status, body.error.message]).to.deep.equal([500, 'Internal Server Error: The access key has expired']);
  });

  it('end at once when they are revoked, by their owner alone', async () => {
    const [first, second] = [await created('bob'), await created('bob')];
    expect((await revoke(first, 'carol')).status).to.equal(404);
    expect((await api.request('DELETE', `/access_keys/${idOf(first)}`)).status).to.equal(401);
    expect((await api.request('DELETE', '/access_keys/self', { as: 'bob' })).status).to.equal(400);
    const answer = await revoke(first, 'bob');
    expect([answer.status, answer.body]).to.deep.equal([200, undefined]);
    expect((await api.get('/projects', using(first))).status).to.equal(500);
    expect((await api.get('/projects', using(second))).status).to.equal(200);
    expect((await revoke(first, 'bob')).status).to.equal(404);
  });

  it('know when they were last used, with one event a day', async () => {
    const identifier = await created('dave');
    const uses = async () => (await eventsOf('dave')).filter(({ type }) => type === 'AccessKeyUsed');
    const useManyTimes = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 10 }, () => api.get('/users/self', using(identifier))));
      await execute('dave', { type: 'RevokeAllTokens', userId: api.user('dave') });
    };
    await useManyTimes();
    expect(await uses()).to.have.length(1);
    const { body } = await api.get('/access_keys/self', using(identifier));
    expect(body.last_used_on).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    secondsAhead(DAY_S - 60);
    await useManyTimes();
    expect(await uses()).to.have.length(1);
    secondsAhead(DAY_S + 60);
    await useManyTimes();
    expect((await uses()).map(({ metadata }) => metadata.actor)).to.deep.equal([api.user('dave'), api.user('dave')]);
  });

  it('are not made by a token that is signed out before the whole request has come', async () => {
    const { body: pair } = await api.post('/tokens', { body: { username: 'dave', password: "dave's password" } });
    const headers = { 'X-Auth-Token': pair.token, 'X-Auth-UserId': pair.user_id };
    const body = JSON.stringify({ description: 'late' }) + ' '.repeat(131_072);
    const sent = { method: 'POST', url: `${api.url}/api/access_keys`, headers, body };
    const answer = await halfwayThrough(sent, () =>
      execute('dave', { type: 'RevokeAllTokens', userId: api.user('dave') }),
    );
    expect([answer.status, answer.message]).to.deep.equal([500, 'Internal Server Error: The token is not valid']);
    expect((await eventsOf('dave')).at(-1)?.type).to.equal('AllTokensRevoked');
  });

  it('have no narrower scope than their user: another one is refused, and none is made', async () => {
    const made = (scopes: unknown) => api.post('/access_keys', { as: 'bob', body: { description: 'CI', scopes } });
    const before = (await eventsOf('bob')).length;
    for (const scopes of [['read:rest'], ['write:rest', 'write:git_repository'], [], [''], 'read', 7, [null]]) {
      const { status, body } = await made(scopes);
      expect(status, JSON.stringify(scopes)).to.equal(400);
      expect(body.error.details[0].pointer, JSON.stringify(scopes)).to.match(/^\/scopes/);
    }
    expect(await eventsOf('bob')).to.have.length(before);
    for (const scopes of [['write:rest'], ['all'], null]) expect((await made(scopes)).status).to.equal(201);
  });

  it('of a suspended user are refused', async () => {
    const identifier = await created('carol');
    await execute('carol', { type: 'SuspendUser', userId: api.user('carol') });
    expect((await api.get('/projects', using(identifier))).status).to.equal(403);
    await execute('carol', { type: 'ReactivateUser', userId: api.user('carol') });
    expect((await api.get('/projects', using(identifier))).status).to.equal(200);
  });

  it('leave no secret in the log of events', async () => {
    const identifier = await created('bob');
    const events = await eventsOf('bob');
    expect(JSON.stringify(events)).not.to.include(identifier.split('.')[1]);
    const made = events.at(-1) as AccessKeyEvent | undefined;
    expect(made?.type).to.equal('AccessKeyCreated');
    expect(fold(userDecider, events)?.accessKeys.at(-1)?.id).to.equal(idOf(identifier));
  });
});
