import { type UserCommand, userDecider } from '../users/user-decider.js';
import { type UserView } from '../users/user-view.js';
import { type UserEntry } from './file-shape.js';
import { type Resolver } from './resolver.js';
import { type Step } from './step.js';
import { type WantedUser } from './wanted-users.js';

export function userSteps(
  wanted: readonly WantedUser[],
  newPasswords: ReadonlyMap<string, string>,
  { present, prune }: Resolver,
): readonly Step[] {
  const listed = new Set(wanted.map(({ id }) => id));
  const dropped = prune ? [...present.users()].filter(({ id }) => !listed.has(id)) : [];
  return [
    ...wanted.flatMap((user) => stepsFor(user, newPasswords.get(user.entry.username))),
    ...dropped.flatMap((user) => steps(user, user.username, [suspension(user.id, user.username)])),
  ];
}

type Wording = readonly [words: string, command: UserCommand];

const suspension = (userId: number, username: string): Wording => [
  `suspend user ${username}`,
  { type: 'SuspendUser', userId },
];

function stepsFor({ id: userId, entry, present }: WantedUser, newHash: string | undefined): readonly Step[] {
  if (present === undefined) return registration(userId, entry, newHash ?? '');

  const { username } = entry;
  return steps(present, username, [
    [
      `rename user ${username}: ${entry.real_name} <${entry.email}>`,
      { type: 'RenameUser', userId, realName: entry.real_name, email: entry.email },
    ],
    [
      entry.site_admin ? `make user ${username} a site administrator` : `user ${username} is no site administrator`,
      { type: 'ChangeRole', userId, siteAdmin: entry.site_admin },
    ],
    ...(newHash === undefined ? [] : [passwordChange(userId, username, newHash)]),
    entry.status === 'suspended'
      ? suspension(userId, username)
      : [`reactivate user ${username}`, { type: 'ReactivateUser', userId }],
  ]);
}

const passwordChange = (userId: number, username: string, passwordHash: string): Wording => [
  `change the password of user ${username}`,
  { type: 'ChangePassword', userId, passwordHash },
];

function registration(userId: number, entry: UserEntry, passwordHash: string): readonly Step[] {
  const { username, real_name: realName, email, site_admin: siteAdmin } = entry;
  const register: Wording = [
    `register user ${username}`,
    { type: 'RegisterUser', userId, username, realName, email, passwordHash, siteAdmin },
  ];
  const all = entry.status === 'active' ? [register] : [register, suspension(userId, username)];
  return all.map((wording) => step(username, wording));
}

/** Without those that have nothing left to do. */
function steps(present: UserView, username: string, wanted: readonly Wording[]): readonly Step[] {
  return wanted
    .filter(([, command]) => userDecider.decide(command, present).length > 0)
    .map((wording) => step(username, wording));
}

function step(name: string, [words, command]: Wording): Step {
  return { words, of: 'user', command, unique: { kind: 'user', scope: 0, name } };
}
