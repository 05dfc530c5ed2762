import { type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { evolveUser } from '../src/users/user.js';
import { type UserEvent } from '../src/users/user-events.js';
import { USERS, userViews } from '../src/users/user-view.js';
import { assertNoRevisionGap } from './revision-gap.js';

export const users: Projection<UserEvent> = {
  name: USERS,
  version: 3,
  models: [userViews.name],
  when: {
    UserRegistered: evolved,
    UserRenamed: evolved,
    UserRoleChanged: evolved,
    UserPasswordChanged: evolved,
    UserSuspended: evolved,
    UserReactivated: evolved,
    TokenRevoked: evolved,
    AllTokensRevoked: evolved,
    AccessKeyCreated: evolved,
    AccessKeyRevoked: evolved,
    AccessKeyUsed: evolved,
  },
};

function evolved(event: Recorded<UserEvent>): readonly Effect[] {
  const { data, revision } = event;
  return [
    effect(userViews, data.userId, (document) => {
      assertNoRevisionGap(document, event, 'user');
      const user = evolveUser(document, event, revision);
      if (user === null) throw new Error('the user was never registered');
      return { ...user, id: data.userId, revision };
    }),
  ];
}
