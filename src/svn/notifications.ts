/** The recipients of commit mails, in the form of the log. */
import { type Steps } from '../core/concurrency/others-turn.js';
import { type Violation } from '../core/problem.js';
import { foldText } from '../core/text/spelling.js';
import { PROJECT_ADMINS, PROJECT_MEMBERS, type GroupId } from '../projects/project-events.js';
import { type Notification } from './repository-events.js';
import { type ProjectView } from '../projects/project-view.js';
import { isOwnGroup, namedGroup, type NamedGroup } from '../projects/representation.js';
import { type NotificationBody, type Recipient } from './schemas.js';
import { type SettingsContext } from './settings-context.js';
import { shownPath, svnPathFault } from './svn-path.js';

const MAX_EMAIL = 254;
const HOST_PART = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';
const EMAIL = new RegExp(`^[^\\s\\p{Cc}@,:;<>()[\\]\\\\"]{1,64}@${HOST_PART}(?:\\.${HOST_PART})*$`, 'u');

const POINTER = '/settings/email_notifications';

interface Checked {
  /** By path; complete only without faults. */
  readonly notifications: readonly Notification[];
  readonly faults: readonly Violation[];
}

/** One step for each recipient. */
export function* checkedNotifications(bodies: readonly NotificationBody[], context: SettingsContext): Steps<Checked> {
  const faults: Violation[] = [];
  const paths = new Set<string>();
  const notifications: Notification[] = [];
  const storedUsers = new Map(context.stored?.emailNotifications.map(({ path, users }) => [path, new Set(users)]));
  for (const [index, body] of bodies.entries()) {
    const pointer = `${POINTER}/${index}`;
    const { path } = body;
    faults.push(...svnPathFault(path, `${pointer}/path`));
    if (paths.has(path))
      faults.push({ pointer: `${pointer}/path`, message: `is given more than once: ${shownPath(path)}` });
    paths.add(path);
    if (isEmpty(body))
      faults.push({ pointer, message: `needs an email, a user or a user group for the path ${shownPath(path)}` });
    const seen = new Set<string>();
    const emails = yield* judged(body.emails, `${pointer}/emails`, faults, (email) => emailOf(email, seen, path));
    const users = yield* judged(body.users, `${pointer}/users`, faults, (user) =>
      userOf(Number(idOf(user)), storedUsers.get(path), context),
    );
    const groups = yield* judged(body.user_groups, `${pointer}/user_groups`, faults, (group) =>
      groupOf(String(idOf(group)), context),
    );
    notifications.push({ path, emails, users, groups });
  }
  return { notifications: notifications.sort((a, b) => (a.path < b.path ? -1 : 1)), faults };
}

const idOf = (recipient: Recipient): number | string => (typeof recipient === 'object' ? recipient.id : recipient);

const isEmpty = ({ emails, users, user_groups: groups }: NotificationBody): boolean =>
  emails.length + users.length + groups.length === 0;

/** Each once. What is wrong with them goes to `faults`. */
function* judged<Given, Known extends number | string>(
  recipients: readonly Given[],
  pointer: string,
  faults: Violation[],
  judge: (recipient: Given) => Known | FaultOfOne,
): Steps<readonly Known[]> {
  const known = new Set<Known>();
  for (const [index, recipient] of recipients.entries()) {
    yield;
    const found = judge(recipient);
    if (typeof found === 'object') faults.push({ pointer: `${pointer}/${index}`, ...found });
    else known.add(found);
  }
  return [...known];
}

type FaultOfOne = Pick<Violation, 'message'>;

/** `seen`: the spellings of the addresses before. */
function emailOf(email: string, seen: Set<string>, path: string): string | FaultOfOne {
  const spelling = foldText(email);
  if (seen.has(spelling))
    return { message: `is given more than once for the path ${shownPath(path)}: ${shownPath(email)}` };
  seen.add(spelling);
  return email.length <= MAX_EMAIL && EMAIL.test(email) ? email : { message: 'is not an email address' };
}

/** Whom the same path names already may stay, even if suspended since. */
function userOf(
  id: number,
  stored: ReadonlySet<number> | undefined,
  { definitions }: SettingsContext,
): number | FaultOfOne {
  if (stored?.has(id) === true) return id;
  const user = definitions.user(id);
  if (user === undefined) return { message: `names the user ${id}, who does not exist` };
  return user.status === 'active' ? id : { message: `names the user ${id}, who is not active` };
}

const UNKNOWN: FaultOfOne = { message: 'names a user group that does not exist' };
const FOREIGN: FaultOfOne = { message: 'names a user group of another project' };
const NOBODY: FaultOfOne = {
  message: 'names a group that gets no mail: only members, administrators and the own groups of the project do',
};

function groupOf(id: string, context: SettingsContext): GroupId | FaultOfOne {
  const named = namedGroup(id);
  if (named === undefined) return UNKNOWN;
  return isOwnGroup(named.groupId) ? ownGroup(named, context) : builtInGroup(named, context);
}

function builtInGroup({ projectId, groupId }: NamedGroup, context: SettingsContext): GroupId | FaultOfOne {
  if (projectId === undefined) return NOBODY;
  if (!isKnown(context.definitions.project(projectId), context)) return UNKNOWN;
  if (projectId !== context.project.id) return FOREIGN;
  return groupId === PROJECT_MEMBERS || groupId === PROJECT_ADMINS ? groupId : NOBODY;
}

function ownGroup({ projectId, groupId }: NamedGroup, context: SettingsContext): GroupId | FaultOfOne {
  const owner = context.definitions.projectOfGroup(groupId);
  if (!isKnown(owner, context) || (projectId ?? owner.id) !== owner.id) return UNKNOWN;
  return owner.id === context.project.id ? groupId : FOREIGN;
}

const isKnown = (project: ProjectView | undefined, { viewer }: SettingsContext): project is ProjectView =>
  project !== undefined && viewer.knowsProject(project);
