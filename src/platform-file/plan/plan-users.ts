import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type ProjectView } from '../../projects/project-view.js';
import { type UserCommand, userDecider } from '../../users/user.js';
import { type UserView } from '../../users/user-view.js';
import { shortList, type Resolver } from './resolver.js';
import { effective, stageOf, type PlanStep } from './plan-step.js';
import { type DesiredUser } from './desired-users.js';

/** Without a list of users in the file, no user is pruned. */
export function* userSteps(
  desired: readonly DesiredUser[],
  isListed: boolean,
  resolver: Resolver,
): Steps<readonly PlanStep[]> {
  const { present, prune } = resolver;
  const listed = new Set(desired.map(({ id }) => id));
  const leftOut = present.users().filter(({ id }) => !listed.has(id));
  const dropped = prune && isListed ? leftOut : [];
  refuseToDropLastAdmin(desired, dropped, resolver);
  return [
    ...(yield* flatMapInSteps(desired, (user) => stepsFor(user, present))),
    ...(yield* flatMapInSteps(dropped, (user) => steps(user, user.username, [suspension(user.id, user.username)]))),
  ];
}

const isActiveAdmin = ({ siteAdmin, status }: Pick<UserView, 'siteAdmin' | 'status'>): boolean =>
  siteAdmin && status === 'active';

/** Without a site administrator, only another file can undo the pruning. */
function refuseToDropLastAdmin(
  desired: readonly DesiredUser[],
  dropped: readonly UserView[],
  { force, complain }: Resolver,
): void {
  const admins = dropped.filter(isActiveAdmin).map(({ username }) => username);
  if (force || admins.length === 0 || desired.some(isActiveAdmin)) return;
  complain('/users', `would suspend the last site administrator, ${shortList(admins)}; list one, or add --force`);
}

type Wording = readonly [words: string, command: UserCommand, widens?: boolean, password?: string];

/** Passwords are hashed once the plan is made. No user has this: the change would be none. */
const UNHASHED = 'unhashed';

const suspension = (userId: number, username: string): Wording => [
  `suspend user ${username}`,
  { type: 'SuspendUser', userId },
];

function stepsFor(user: DesiredUser, definitions: Definitions): readonly PlanStep[] {
  const { id: userId, entry, siteAdmin, status, present, password } = user;
  if (present === undefined) return registration(user, definitions);

  const { username } = entry;
  return steps(present, username, [
    // First, so that nobody is made an administrator and suspended only then.
    status === 'suspended'
      ? suspension(userId, username)
      : [`reactivate user ${username}`, { type: 'ReactivateUser', userId }, true],
    [
      `rename user ${username}: ${entry.real_name} <${entry.email}>`,
      { type: 'RenameUser', userId, realName: entry.real_name, email: entry.email },
    ],
    [
      siteAdmin ? `make user ${username} a site administrator` : `user ${username} is no site administrator`,
      { type: 'ChangeRole', userId, siteAdmin },
      isActiveAdmin(user),
    ],
    ...(password === undefined ? [] : [passwordChange(userId, username, password)]),
  ]);
}

const passwordChange = (userId: number, username: string, password: string): Wording => [
  `change the password of user ${username}`,
  { type: 'ChangePassword', userId, passwordHash: UNHASHED },
  false,
  password,
];

function registration(user: DesiredUser, definitions: Definitions): readonly PlanStep[] {
  const { id: userId, entry, siteAdmin, status, password = '' } = user;
  const { username, real_name: realName, email } = entry;
  const registered = { username, realName, email, passwordHash: UNHASHED, siteAdmin };
  const register: Wording = [
    `register user ${username}${status === 'active' ? '' : ', suspended'}`,
    { type: 'RegisterUser', userId, ...registered, ...(status === 'suspended' && { status }) },
    isActiveAdmin(user)
      ? definitions.projects().length > 0
      : status === 'active' && definitions.projects().some(isOpen),
    password,
  ];
  return [step(username, register, 'widening')];
}

/** To every registered user. */
const isOpen = ({ status, access }: ProjectView): boolean => status === 'active' && access === 'public';

function steps(present: UserView, username: string, desired: readonly Wording[]): readonly PlanStep[] {
  const user = { ...present, revocations: null };
  return effective(userDecider, user, desired).map((wording) => step(username, wording));
}

function step(name: string, [words, command, widens = false, password]: Wording, stage = stageOf(widens)): PlanStep {
  const unique = { kind: 'user', scope: 0, name } as const;
  return { words, widens, stage, of: 'user', command, password, unique };
}
