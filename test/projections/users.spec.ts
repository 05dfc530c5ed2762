import { expect } from 'chai';
import { users } from '../../projections/users.js';
import { type UserEvent } from '../../src/users/user.js';
import { userViews } from '../../src/users/user-view.js';
import { projected } from '../support/projected.js';

describe('the document of a user', () => {
  const userId = 101;
  const registration = { username: 'alice', realName: 'Alice', email: 'a@example.org', passwordHash: 'h' };
  const registered: UserEvent = { type: 'UserRegistered', data: { userId, ...registration, siteAdmin: true } };
  const revoked = (tokenId: string, expiresAt: string): UserEvent => ({
    type: 'TokenRevoked',
    data: { userId, tokenId, expiresAt },
  });
  const after = (...events: readonly UserEvent[]) => projected(users).happened('user-101', [registered, ...events]);

  it('begins with the registration', () => {
    expect(after().document(userViews, userId)).to.deep.equal({
      id: userId,
      ...registration,
      siteAdmin: true,
      status: 'active',
      tokensValidFrom: 0,
      revokedTokens: [],
      revision: 0,
    });
  });

  it('knows from which revision on tokens count', () => {
    const view = after({ type: 'UserSuspended', data: { userId } }, { type: 'AllTokensRevoked', data: { userId } });
    expect(view.document(userViews, userId)).to.include({ status: 'suspended', tokensValidFrom: 2, revision: 2 });
  });

  it('remembers the tokens that were ended, until they would have expired', () => {
    const view = after(revoked('t1', '2026-03-02T00:00:00.000Z'), revoked('t2', '2026-03-09T00:00:00.000Z'));
    expect(view.document(userViews, userId)?.revokedTokens).to.have.length(2);
    view.happened('user-101', [revoked('t3', '2026-03-10T00:00:00.000Z')], '2026-03-05');
    expect(view.document(userViews, userId)?.revokedTokens.map(({ id }) => id)).to.deep.equal(['t2', 't3']);
  });

  it('cannot change before there is one', () => {
    const change: UserEvent = { type: 'UserSuspended', data: { userId } };
    expect(() => projected(users).happened('user-101', [change])).to.throw('never registered');
  });
});
