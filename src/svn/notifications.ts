/** The recipients of commit mails, in the form of the log. */
import { type Steps } from '../core/concurrency/others-turn.js';
import { type Violation } from '../core/problem.js';
import { foldText } from '../core/text/spelling.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
} from '../projects/project-events.js';
import { type Notification } from './repository-events.js';
import { type ProjectView } from '../projects/project-view.js';
import { type NotificationBody } from './schemas.js';
import { type SettingsContext } from './settings-context.js';
import { shownPath, svnPathFault } from './svn-path.js';

/** Ids below belong to the groups that every platform has. */
const FIRST_OWN_GROUP = 101;
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
    const users = yield* judged(body.users, `${pointer}/users`, faults, (id) => userOf(Number(id), context));
    const groups = yield* judged(body.user_groups, `${pointer}/user_groups`, faults, (id) =>
      groupOf(String(id), context),
    );
    notifications.push({ path, emails, users, groups });
  }
  return { notifications: notifications.sort((a, b) => (a.path < b.path ? -1 : 1)), faults };
}

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

function userOf(id: number, { definitions }: SettingsContext): number | FaultOfOne {
  const user = definitions.user(id);
  if (user === undefined) return { message: `names the user ${id}, who does not exist` };
  return user.status === 'active' ? id : { message: `names the user ${id}, who is not active` };
}

const UNKNOWN: FaultOfOne = { message: 'names a user group that does not exist' };
const FOREIGN: FaultOfOne = { message: 'names a user group of another project' };
const NOBODY: FaultOfOne = {
  message: 'names a group that gets no mail: only members, administrators and the own groups of the project do',
};

/** An id as representations of groups have it: `110_3` for a project's members, the bare id for its own groups. */
function groupOf(id: string, context: SettingsContext): GroupId | FaultOfOne {
  const [first = '', second] = id.split('_');
  if (second === undefined) return ownGroup(Number(first), context);
  const group = Number(second);
  if (!BUILT_IN.has(group) || !isKnown(context.definitions.project(Number(first)), context)) return UNKNOWN;
  if (Number(first) !== context.project.id) return FOREIGN;
  return group === PROJECT_MEMBERS || group === PROJECT_ADMINS ? group : NOBODY;
}

const BUILT_IN = new Set([ALL_USERS, REGISTERED_USERS, PROJECT_MEMBERS, PROJECT_ADMINS]);

function ownGroup(group: GroupId, context: SettingsContext): GroupId | FaultOfOne {
  if (group < FIRST_OWN_GROUP) return BUILT_IN.has(group) ? NOBODY : UNKNOWN;
  const owner = context.definitions.projectOfGroup(group);
  if (!isKnown(owner, context)) return UNKNOWN;
  return owner.id === context.project.id ? group : FOREIGN;
}

const isKnown = (project: ProjectView | undefined, { viewer }: SettingsContext): project is ProjectView =>
  project !== undefined && viewer.knowsProject(project);
