import { expect } from 'chai';
import { users } from '../../projections/users.js';
import { type UserEvent } from '../../src/users/user-events.js';
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
      accessKeys: [],
      revision: 0,
    });
  });

  it('holds the first revision of valid tokens', () => {
    const view = after({ type: 'UserSuspended', data: { userId } }, { type: 'AllTokensRevoked', data: { userId } });
    expect(view.document(userViews, userId)).to.include({ status: 'suspended', tokensValidFrom: 2, revision: 2 });
  });

  it('holds ended tokens until they have been expired for a day, for events with any time', () => {
    const view = after(revoked('t1', '2026-03-02T12:00:00.000Z'));
    view.happened('user-101', [revoked('t2', '2026-03-04T11:00:00.000Z')], '2026-03-05');
    expect(view.document(userViews, userId)?.revokedTokens.map(({ id }) => id)).to.deep.equal(['t1', 't2']);
    view.happened('user-101', [revoked('t3', '2026-03-19T00:00:00.000Z')], '2026-03-05');
    expect(view.document(userViews, userId)?.revokedTokens.map(({ id }) => id)).to.deep.equal(['t3']);
  });

  it('holds the access keys, without their secrets, until they are revoked', () => {
    const created: UserEvent = {
      type: 'AccessKeyCreated',
      data: {
        userId,
        accessKeyId: 7,
        secretHash: 'h',
        description: 'CI',
        expiresAt: null,
        at: '2026-03-01T12:00:00.000Z',
      },
    };
    const used: UserEvent = { type: 'AccessKeyUsed', data: { userId, accessKeyId: 7, at: '2026-03-02T12:00:00.000Z' } };
    const view = after(created, used);
    expect(view.document(userViews, userId)).to.deep.include({
      tokensValidFrom: 0,
      accessKeys: [
        {
          id: 7,
          secretHash: 'h',
          description: 'CI',
          createdAt: '2026-03-01T12:00:00.000Z',
          expiresAt: null,
          lastUsedAt: '2026-03-02T12:00:00.000Z',
        },
      ],
    });
    view.happened('user-101', [{ type: 'AccessKeyRevoked', data: { userId, accessKeyId: 7 } }]);
    expect(view.document(userViews, userId)?.accessKeys).to.deep.equal([]);
  });

  it('cannot change before there is one', () => {
    const change: UserEvent = { type: 'UserSuspended', data: { userId } };
    expect(() => projected(users).happened('user-101', [change])).to.throw('never registered');
  });
});
