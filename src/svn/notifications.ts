/** Who is to be told of commits: every recipient known, in the form of the log. */
import { foldText } from '../core/read-models.js';
import { type Directory } from '../definitions/definitions.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
} from '../projects/project-events.js';
import { type Notification } from './repository.js';
import { type ProjectView } from '../projects/project-view.js';
import { type NotificationBody } from './schemas.js';
import { type Fault, type SettingsContext } from './settings-context.js';
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
  readonly faults: readonly Fault[];
}

export function checkedNotifications(bodies: readonly NotificationBody[], context: SettingsContext): Checked {
  const faults: Fault[] = [];
  const paths = new Set<string>();
  const notifications = bodies.map((body, index) => {
    const pointer = `${POINTER}/${index}`;
    const { path } = body;
    faults.push(...svnPathFault(path, `${pointer}/path`));
    if (paths.has(path))
      faults.push({ pointer: `${pointer}/path`, message: `is given more than once: ${shownPath(path)}` });
    paths.add(path);
    const { recipients, faults: found } = recipientsOf(body, pointer, context);
    faults.push(...found);
    return { path, ...recipients };
  });
  return { notifications: notifications.sort((a, b) => (a.path < b.path ? -1 : 1)), faults };
}

function recipientsOf(body: NotificationBody, pointer: string, context: SettingsContext) {
  const { path, emails } = body;
  const { directory } = context;
  const groups = body.user_groups.map((id) => groupOf(String(id), context));
  const users = body.users.map((id) => ({ id: Number(id), message: userFault(Number(id), directory) }));
  const isEmpty = emails.length + users.length + groups.length === 0;
  const faults: readonly Fault[] = [
    ...(isEmpty
      ? [{ pointer, message: `needs an email, a user or a user group for the path ${shownPath(path)}` }]
      : []),
    ...emailFaults(emails, `${pointer}/emails`, path),
    ...users.flatMap(({ message }, index) =>
      message === undefined ? [] : [{ pointer: `${pointer}/users/${index}`, message }],
    ),
    ...groups.flatMap((group, index) =>
      typeof group === 'number' ? [] : [{ pointer: `${pointer}/user_groups/${index}`, ...group }],
    ),
  ];
  const recipients = {
    emails,
    users: [...new Set(users.map(({ id }) => id))],
    groups: [...new Set(groups.filter((group) => typeof group === 'number'))],
  };
  return { recipients, faults };
}

function emailFaults(emails: readonly string[], pointer: string, path: string): readonly Fault[] {
  const seen = new Set<string>();
  return emails.flatMap((email, index) => {
    const at = `${pointer}/${index}`;
    const spelling = foldText(email);
    if (seen.has(spelling))
      return [{ pointer: at, message: `is given more than once for the path ${shownPath(path)}: ${shownPath(email)}` }];
    seen.add(spelling);
    return email.length <= MAX_EMAIL && EMAIL.test(email) ? [] : [{ pointer: at, message: 'is no email address' }];
  });
}

function userFault(id: number, directory: Directory): string | undefined {
  const user = directory.user(id);
  if (user === undefined) return `names the user ${id}, who does not exist`;
  return user.status === 'active' ? undefined : `names the user ${id}, who is not active`;
}

type GroupFault = Omit<Fault, 'pointer'>;

const UNKNOWN: GroupFault = { message: 'names a user group that does not exist', isUnknown: true };
const FOREIGN: GroupFault = { message: 'names a user group of another project' };
const NOBODY: GroupFault = {
  message: 'names a group that gets no mail: only members, administrators and the own groups of the project do',
};

/** An id as representations of groups have it: `110_3` for a project's members, the bare id for its own groups. */
function groupOf(id: string, context: SettingsContext): GroupId | GroupFault {
  const [first = '', second] = id.split('_');
  if (second === undefined) return ownGroup(Number(first), context);
  const group = Number(second);
  if (!BUILT_IN.has(group) || !isKnown(context.directory.project(Number(first)), context)) return UNKNOWN;
  if (Number(first) !== context.project.id) return FOREIGN;
  return group === PROJECT_MEMBERS || group === PROJECT_ADMINS ? group : NOBODY;
}

const BUILT_IN = new Set([ALL_USERS, REGISTERED_USERS, PROJECT_MEMBERS, PROJECT_ADMINS]);

function ownGroup(group: GroupId, context: SettingsContext): GroupId | GroupFault {
  if (group < FIRST_OWN_GROUP) return BUILT_IN.has(group) ? NOBODY : UNKNOWN;
  const owner = context.directory.projectOfGroup(group);
  if (!isKnown(owner, context)) return UNKNOWN;
  return owner.id === context.project.id ? group : FOREIGN;
}

const isKnown = (project: ProjectView | undefined, { viewer }: SettingsContext): project is ProjectView =>
  project !== undefined && viewer.knowsProject(project);
