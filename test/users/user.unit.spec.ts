import { expect } from 'chai';
import fc from 'fast-check';
import { userDecider, type User } from '../../src/users/user.js';
import { evolveUser } from '../../src/users/user.js';
import { remembered } from '../../src/users/revocations.js';
import { type UserEvent } from '../../src/users/user-events.js';
import { specify } from '../support/specify.js';

const { given } = specify(userDecider);

const userId = 101;
const identity = { realName: 'Alice Martin', email: 'alice@example.org' };
const registration = { username: 'alice', ...identity, passwordHash: '$argon2id$a', siteAdmin: false };
const registered: UserEvent = { type: 'UserRegistered', data: { userId, ...registration } };
const suspended: UserEvent = { type: 'UserSuspended', data: { userId } };
const revoked = (tokenId: string, expiresAt: string): UserEvent => ({
  type: 'TokenRevoked',
  data: { userId, tokenId, expiresAt },
});
const allRevoked: UserEvent = { type: 'AllTokensRevoked', data: { userId } };
const early = '2026-03-01T13:00:00.000Z';
const tomorrow = '2026-03-02T12:00:00.000Z';
const twoDaysAfterEarly = '2026-03-03T13:00:00.001Z';

const stateAfter = (events: readonly UserEvent[]) =>
  events.reduce((state, event) => userDecider.evolve(state, event), userDecider.initialState);

describe('user', () => {
  it('is registered once', () => {
    given()
      .when({ type: 'RegisterUser', userId, ...registration })
      .then(registered);
    given(registered)
      .when({ type: 'RegisterUser', userId, ...registration, username: 'mallory' })
      .thenProblem('conflict');
  });

  it('takes no command before its registration', () => {
    given().when({ type: 'SuspendUser', userId }).thenProblem('not-found');
  });

  it('takes another name and address', () => {
    given(registered)
      .when({ type: 'RenameUser', userId, realName: 'Alice Dupont', email: 'dupont@example.org' })
      .then({ type: 'UserRenamed', data: { userId, realName: 'Alice Dupont', email: 'dupont@example.org' } });
    given(registered)
      .when({ type: 'RenameUser', userId, ...identity })
      .thenNothing();
  });

  it('becomes site administrator', () => {
    given(registered)
      .when({ type: 'ChangeRole', userId, siteAdmin: true })
      .then({ type: 'UserRoleChanged', data: { userId, siteAdmin: true } });
  });

  it('is suspended and comes back', () => {
    given(registered).when({ type: 'SuspendUser', userId }).then(suspended);
    given(registered, suspended)
      .when({ type: 'ReactivateUser', userId })
      .then({ type: 'UserReactivated', data: { userId } });
    given(registered).when({ type: 'ReactivateUser', userId }).thenNothing();
  });

  it('ends the tokens issued before when it is suspended, and when it comes back', () => {
    const back: UserEvent = { type: 'UserReactivated', data: { userId } };
    const ended = { tokensValidFrom: 2, revocations: null };
    expect(given(registered, revoked('t1', tomorrow), suspended).state).to.deep.include(ended);
    expect(given(registered, revoked('t1', tomorrow), suspended, back).state).to.deep.include({
      ...ended,
      tokensValidFrom: 3,
    });
  });

  it('ends the tokens issued before with a new password', () => {
    const changed: UserEvent = { type: 'UserPasswordChanged', data: { userId, passwordHash: '$argon2id$b' } };
    given(registered, suspended).when({ type: 'ChangePassword', userId, passwordHash: '$argon2id$b' }).then(changed);
    expect(given(registered, suspended, changed).state).to.include({ tokensValidFrom: 2, revision: 2 });
  });

  it('ends one token', () => {
    given(registered)
      .when({ type: 'RevokeToken', userId, tokenId: 't1', expiresAt: tomorrow })
      .then(revoked('t1', tomorrow));
  });

  it('ends all tokens each time it is asked to, because there may be new ones', () => {
    given(registered).when({ type: 'RevokeAllTokens', userId }).thenAgain(allRevoked);
    given(registered, allRevoked).when({ type: 'RevokeAllTokens', userId }).thenAgain(allRevoked);
    const { state } = given(registered, revoked('t1', tomorrow), allRevoked);
    expect(state).to.deep.include({ tokensValidFrom: 2, revocations: null });
  });

  it('remembers 1000 tokens that were ended one by one, and ends all together instead of one more', () => {
    const revocations = (count: number) =>
      Array.from({ length: count }, (_, index) => revoked(`t${index}`, index === 0 ? early : tomorrow));
    const end = (expiresAt: string) => ({ type: 'RevokeToken', userId, tokenId: 'last', expiresAt }) as const;
    given(registered, ...revocations(999))
      .when(end(tomorrow))
      .then(revoked('last', tomorrow));
    given(registered, ...revocations(1000))
      .when(end(tomorrow))
      .thenAgain(allRevoked);
    given(registered, ...revocations(1000))
      .when(end(twoDaysAfterEarly))
      .then(revoked('last', twoDaysAfterEarly));
    expect(given(registered, ...revocations(1000), allRevoked).state?.revocations).to.equal(null);
  });

  it('forgets revocations of tokens that had expired a day before the one ended last was issued', () => {
    const days = Array.from({ length: 100 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString());
    const { state } = given(registered, ...days.map((day) => revoked(`t ${day}`, day)));
    expect(remembered(state?.revocations ?? null).map(({ expiresAt }) => expiresAt)).to.deep.equal(days.slice(-3));
  });

  it('remembers what its document remembers, in any order of the expiries', () => {
    const day = fc.nat({ max: 20 }).map((days) => new Date(Date.UTC(2026, 0, 1 + days)).toISOString());
    const events = fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.tuple(fc.stringMatching(/^[a-c]$/), day).map((of) => revoked(...of)) },
        fc.constantFrom(suspended, allRevoked, { type: 'UserRenamed', data: { userId, ...identity } } as const),
      ),
    );
    fc.assert(
      fc.property(events, (given) => {
        const all = [registered, ...given];
        const state = stateAfter(all);
        const document = all.reduce<User | null>((user, event, nth) => evolveUser(user, event, nth), null);
        expect(remembered(state?.revocations ?? null)).to.deep.equal(document?.revokedTokens);
        expect(state).to.include({ tokensValidFrom: document?.tokensValidFrom, revision: all.length - 1 });
      }),
    );
  });

  it('holds each sign-out once: no event copies earlier ones', () => {
    const first = stateAfter([registered, revoked('t1', tomorrow)]);
    const second = userDecider.evolve(first, revoked('t2', tomorrow));
    expect(second?.revocations?.before).to.equal(first?.revocations);
  });

  it('keeps few of the tokens that a user signs out every hour, and those that live', () => {
    const instant = (n: number) => new Date(Date.UTC(2026, 2, 1, n + ((n * 7) % 36))).toISOString();
    const signedOut = Array.from({ length: 5000 }, (_, n) => revoked(`t${n}`, instant(n)));
    const state = stateAfter([registered, ...signedOut]);
    const document = [registered, ...signedOut].reduce<User | null>(
      (user, event, n) => evolveUser(user, event, n),
      null,
    );
    expect(remembered(state?.revocations ?? null)).to.deep.equal(document?.revokedTokens);
    let kept = 0;
    for (let one = state?.revocations ?? null; one !== null; one = one.before) kept += 1;
    expect(kept).to.be.below(1300);
  });
});
