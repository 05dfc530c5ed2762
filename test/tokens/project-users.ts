import { type EventReader } from '../../src/core/event-log.js';
import { userStream, type UserEvent } from '../../src/users/user.js';
import { evolveUser } from '../../src/users/user-decider.js';
import { type UserView } from '../../src/users/user-view.js';

/** The users as their streams say by now. */
export function projectUsers(log: EventReader, users: readonly UserView[]): Promise<UserView[]> {
  return Promise.all(
    users.map(async (view) => {
      let projected = view;
      for (const event of (await log.read<UserEvent>(userStream(view.id))).events) {
        const { revision, metadata } = event;
        const user = evolveUser(projected, event, { revision, at: metadata.at });
        if (user !== null) projected = { ...user, id: view.id, revision };
      }
      return projected;
    }),
  );
}
