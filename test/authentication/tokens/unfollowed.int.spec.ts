import { expect } from 'chai';
import { serve } from '../../../src/composition/http-server.js';
import { type Service } from '../../../src/composition/service.js';
import { userStream } from '../../../src/users/user-events.js';
import { USERS } from '../../../src/users/user-view.js';
import { appendNewer } from '../../support/newer-release.js';
import { client } from '../../support/client.js';
import { runService } from '../../support/service.js';

const bob = { username: 'bob', password: "bob's password" };
const NEVER_REGISTERED = 999_999;

describe('a sign-in while changes of users are not followed', () => {
  it('is refused for now, with the right password too', async () => {
    const api = await runService();
    const broken = { type: 'UserRenamed', data: { userId: NEVER_REGISTERED, realName: 'Nobody' } };
    await appendNewer(api.service.log, userStream(NEVER_REGISTERED), broken);
    while (!isStopped(api.service)) await new Promise(setImmediate);
    const restarted = await serve(api.serving);
    const { status, headers, body } = await client(`http://127.0.0.1:${restarted.port}`).post('/tokens', { body: bob });
    await restarted.close(1000);
    await api.stop();
    expect([status, headers.get('Retry-After')]).to.deep.equal([503, '5']);
    expect(body.error.message).to.include('cannot be verified');
  });
});

const isStopped = ({ unhealthy }: Service): boolean =>
  unhealthy().some(({ projection, state }) => projection === USERS && state === 'stopped');
