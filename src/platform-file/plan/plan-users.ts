import { type Directory } from '../../definitions/definitions.js';
import { type ProjectView } from '../../projects/project-view.js';
import { type UserCommand, userDecider } from '../../users/user.js';
import { type UserView } from '../../users/user-view.js';
import { type Resolver } from './resolver.js';
import { type Step } from './plan-step.js';
import { type WantedUser } from './desired-users.js';

interface WantedChanges {
  readonly wanted: readonly WantedUser[];
  /** Whether the file has a list of users, without which nobody is pruned. */
  readonly isListed: boolean;
  readonly newPasswords: ReadonlyMap<string, string>;
}

export function userSteps({ wanted, isListed, newPasswords }: WantedChanges, resolver: Resolver): readonly Step[] {
  const { present, prune } = resolver;
  const listed = new Set(wanted.map(({ id }) => id));
  const leftOut = [...present.users()].filter(({ id }) => !listed.has(id));
  const dropped = prune && isListed ? leftOut : [];
  refuseToDropLastAdmin(wanted, dropped, resolver);
  return [
    ...wanted.flatMap((user) => stepsFor(user, newPasswords.get(user.entry.username), present)),
    ...dropped.flatMap((user) => steps(user, user.username, [suspension(user.id, user.username)])),
  ];
}

const isActiveAdmin = ({ siteAdmin, status }: Pick<UserView, 'siteAdmin' | 'status'>): boolean =>
  siteAdmin && status === 'active';

/** Without a site administrator nobody can undo what was pruned, but by another file. */
function refuseToDropLastAdmin(
  wanted: readonly WantedUser[],
  dropped: readonly UserView[],
  { force, complain }: Resolver,
): void {
  const admins = dropped.filter(isActiveAdmin).map(({ username }) => username);
  if (force || admins.length === 0 || wanted.some(isActiveAdmin)) return;
  complain('/users', `would suspend the last site administrator, ${admins.join(', ')}; list one, or add --force`);
}

type Wording = readonly [words: string, command: UserCommand, widens?: boolean];

const suspension = (userId: number, username: string): Wording => [
  `suspend user ${username}`,
  { type: 'SuspendUser', userId },
];

function stepsFor(user: WantedUser, newHash: string | undefined, directory: Directory): readonly Step[] {
  const { id: userId, entry, siteAdmin, status, present } = user;
  if (present === undefined) return registration(user, newHash ?? '', directory);

  const { username } = entry;
  return steps(present, username, [
    [
      `rename user ${username}: ${entry.real_name} <${entry.email}>`,
      { type: 'RenameUser', userId, realName: entry.real_name, email: entry.email },
    ],
    [
      siteAdmin ? `make user ${username} a site administrator` : `user ${username} is no site administrator`,
      { type: 'ChangeRole', userId, siteAdmin },
      isActiveAdmin(user),
    ],
    ...(newHash === undefined ? [] : [passwordChange(userId, username, newHash)]),
    status === 'suspended'
      ? suspension(userId, username)
      : [`reactivate user ${username}`, { type: 'ReactivateUser', userId }, true],
  ]);
}

const passwordChange = (userId: number, username: string, passwordHash: string): Wording => [
  `change the password of user ${username}`,
  { type: 'ChangePassword', userId, passwordHash },
];

function registration(user: WantedUser, passwordHash: string, directory: Directory): readonly Step[] {
  const { id: userId, entry, siteAdmin, status } = user;
  const { username, real_name: realName, email } = entry;
  const register: Wording = [
    `register user ${username}`,
    { type: 'RegisterUser', userId, username, realName, email, passwordHash, siteAdmin },
    isActiveAdmin(user) ? directory.projects().length > 0 : status === 'active' && directory.projects().some(isOpen),
  ];
  const all = status === 'active' ? [register] : [register, suspension(userId, username)];
  return all.map((wording) => step(username, wording));
}

/** To every registered user. */
const isOpen = ({ status, access }: ProjectView): boolean => status === 'active' && access === 'public';

/** Without those that have nothing left to do. */
function steps(present: UserView, username: string, wanted: readonly Wording[]): readonly Step[] {
  return wanted
    .filter(([, command]) => userDecider.decide(command, { ...present, revocations: null }).length > 0)
    .map((wording) => step(username, wording));
}

function step(name: string, [words, command, widens = false]: Wording): Step {
  return { words, widens, of: 'user', command, unique: { kind: 'user', scope: 0, name } };
}
