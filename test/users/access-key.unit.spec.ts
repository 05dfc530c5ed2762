import { expect } from 'chai';
import { type AccessKeyEvent } from '../../src/users/access-key-events.js';
import { userDecider } from '../../src/users/user.js';
import { type UserEvent } from '../../src/users/user-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(userDecider);

const userId = 101;
const registered: UserEvent = {
  type: 'UserRegistered',
  data: { userId, username: 'ann', realName: 'Ann', email: 'a@example.org', passwordHash: 'h', siteAdmin: false },
};
const NOON = '2026-03-01T12:00:00.000Z';
const key = { userId, secretHash: 'ab', description: 'CI', expiresAt: null, at: NOON };
const created = (accessKeyId: number): AccessKeyEvent => ({ type: 'AccessKeyCreated', data: { accessKeyId, ...key } });
const revoked: AccessKeyEvent = { type: 'AccessKeyRevoked', data: { userId, accessKeyId: 7 } };
const used = (at: string): AccessKeyEvent => ({ type: 'AccessKeyUsed', data: { userId, accessKeyId: 7, at } });

describe('access key', () => {
  it('is created once for any number of tries', () => {
    given(registered)
      .when({ type: 'CreateAccessKey', accessKeyId: 7, ...key })
      .then(created(7));
  });

  it('needs a user', () => {
    given()
      .when({ type: 'CreateAccessKey', accessKeyId: 7, ...key })
      .thenProblem('not-found');
  });

  it('is one of two hundred at most', () => {
    const many = Array.from({ length: 200 }, (_, index) => created(index + 1));
    given(registered, ...many)
      .when({ type: 'CreateAccessKey', accessKeyId: 900, ...key })
      .thenProblem('conflict');
    given(registered, ...many, revoked)
      .when({ type: 'CreateAccessKey', accessKeyId: 900, ...key })
      .then(created(900));
  });

  it('is revoked once', () => {
    given(registered, created(7)).when({ type: 'RevokeAccessKey', userId, accessKeyId: 7 }).then(revoked);
    given(registered, created(8)).when({ type: 'RevokeAccessKey', userId, accessKeyId: 7 }).thenNothing();
  });

  it('remembers its last use, a day apart at least', () => {
    const record = (at: string) => ({ type: 'RecordAccessKeyUse', userId, accessKeyId: 7, at }) as const;
    given(registered, created(7)).when(record(NOON)).then(used(NOON));
    given(registered, created(7), used(NOON)).when(record('2026-03-02T11:59:59.999Z')).thenNothing();
    given(registered, created(7), used(NOON))
      .when(record('2026-03-02T12:00:00.000Z'))
      .then(used('2026-03-02T12:00:00.000Z'));
    given(registered, created(7), used('2026-03-02T12:00:00.000Z')).when(record(NOON)).then(used(NOON));
    given(registered, created(7), revoked).when(record(NOON)).thenNothing();
  });

  it('outlives a new password, a sign-out everywhere and a suspension', () => {
    const { state } = given(
      registered,
      created(7),
      { type: 'UserPasswordChanged', data: { userId, passwordHash: 'i' } },
      { type: 'AllTokensRevoked', data: { userId } },
      { type: 'UserSuspended', data: { userId } },
    );
    expect(state?.accessKeys.map(({ id }) => id)).to.deep.equal([7]);
  });
});
