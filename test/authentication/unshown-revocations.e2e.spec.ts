/** Revocations that were answered while the read models stand still. */
import { expect } from 'chai';
import { eventually } from '../e2e/servers/eventually.js';
import { basic } from '../http/toy-app.js';
import { type Answer } from '../support/client.js';
import { holdReadModels } from '../support/held-read-models.js';
import { runService, type RunningService } from '../support/service.js';

type Headers = Record<string, string>;

const withPassword = (username: string): Headers => basic(username, `${username}'s password`);

describe('credentials that were revoked while the read models stand still', () => {
  /** The file of the read models is what this spec holds. */
  if ((process.env['TEST_STORES'] ?? '') !== '') return;
  let api: RunningService;

  beforeEach(async () => {
    api = await runService();
  });

  afterEach(() => api.stop());

  const signIn = (username: string): Promise<Answer> =>
    api.post('/tokens', { body: { username, password: `${username}'s password` } });
  const tokenOf = async (username: string): Promise<Headers> => {
    const { body } = await signIn(username);
    return { 'X-Auth-Token': body.token, 'X-Auth-UserId': body.user_id };
  };
  const keyOf = async (username: string): Promise<Headers> => {
    const { body } = await api.post('/access_keys', { headers: withPassword(username), body: {} });
    return { 'X-Auth-AccessKey': body.identifier };
  };
  const ask = async (headers: Headers): Promise<number> => (await api.get('/users/self', { headers })).status;
  const remove = async (path: string, headers: Headers): Promise<number> =>
    (await api.request('DELETE', path, { headers })).status;

  const revocations: readonly (readonly [string, (username: string) => Promise<Headers>, (own: Headers) => string])[] =
    [
      ['a token that was signed out', tokenOf, ({ 'X-Auth-Token': token }) => `/tokens/${token}`],
      ['a token of a user who signed out everywhere', tokenOf, () => '/tokens'],
      ['an access key', keyOf, ({ 'X-Auth-AccessKey': key }) => `/access_keys/${/-(\d+)\./.exec(key!)?.[1]}`],
    ];
  for (const [what, make, path] of revocations) {
    it(`${what} is not accepted once the revocation is answered`, async () => {
      const [revoked, others] = [await make('carol'), await make('bob')];
      expect([await ask(revoked), await ask(others)]).to.deep.equal([200, 200]);
      const held = holdReadModels(api.directory);
      try {
        expect(await remove(path(revoked), revoked)).to.equal(200);
        const refused = await api.get('/users/self', { headers: revoked });
        expect(refused.status).to.equal(503);
        expect(Number(refused.headers.get('Retry-After'))).to.be.greaterThan(0);
        expect(await ask(others)).to.equal(200);
        held.exec('ROLLBACK');
        await eventually('the revocation', async () => (await ask(revoked)) === 500);
        expect(await ask(others)).to.equal(200);
      } finally {
        held.close();
      }
    });
  }

  it('are not replaced by a token that would end with them', async () => {
    const revoked = await tokenOf('carol');
    const held = holdReadModels(api.directory);
    try {
      expect(await remove('/tokens', revoked)).to.equal(200);
      expect((await signIn('carol')).status).to.equal(503);
      expect(await ask(withPassword('carol'))).to.equal(200);
      held.exec('ROLLBACK');
      await eventually('a sign-in', async () => (await signIn('carol')).status === 200);
      expect(await ask(await tokenOf('carol'))).to.equal(200);
    } finally {
      held.close();
    }
  });
});
