/** The values of list fields as a tracker's representation tells them, by what the list is bound to. */
import { MAX_SHOWN_LABELS } from '../core/bounds.js';
import { groupMembers } from '../projects/group-members.js';
import { type ProjectView } from '../projects/project-view.js';
import { ALL_USERS, PROJECT_MEMBERS, REGISTERED_USERS, type GroupId } from '../projects/project-events.js';
import { userGroup, userGroups } from '../projects/representation.js';
import { madeOnce, userFor, userReference } from '../users/representation.js';
import { type UserView } from '../users/user-view.js';
import { type CompiledTracker } from './compiled-tracker.js';
import { numbersOf, openListOf } from './field-types/canonical.js';
import { type Field, type FieldType } from './field-types/definition.js';
import { type TrackerDefinitions } from './tracker-definitions.js';
import { type TrackerRights } from './tracker-rights.js';

export interface ListContext {
  readonly definitions: TrackerDefinitions;
  readonly project: ProjectView;
  readonly viewer: TrackerRights;
  readonly membersOf: MembersOf;
}

/** Those who are in any of the groups. */
type MembersOf = (groups: readonly GroupId[]) => readonly UserView[];

/** Found once for all lists that are bound to the same groups: a tracker may have many, and groups many members. */
export function membersFoundOnce(definitions: TrackerDefinitions, project: ProjectView): MembersOf {
  const known = new Map<string, readonly UserView[]>();
  return (groups) => {
    const name = groups.join();
    const members = known.get(name) ?? groupMembers(definitions, project, groups);
    known.set(name, members);
    return members;
  };
}

const BIND_TYPES = { static: 'static', users: 'users', user_groups: 'ugroups' } as const;

/** What Tuleap calls those whom the fields that hold a writer are bound to. */
const WRITERS: Readonly<Partial<Record<FieldType, string>>> = {
  subby: 'artifact_submitters',
  luby: 'artifact_modifiers',
};

export function bindings(field: Field, { project }: ListContext) {
  const writers = WRITERS[field.type];
  if (writers !== undefined) return { type: BIND_TYPES.users, list: [{ id: 0, label: writers }] };
  if (field.bind === undefined) return { type: null, list: [] };
  // Values show groups themselves.
  const groups = field.bind === 'users' ? (field.from ?? []) : [];
  return {
    type: BIND_TYPES[field.bind],
    list: groups.flatMap((id) => {
      const group = userGroup(project, id);
      return group === undefined ? [] : [{ id, label: group.short_name }];
    }),
  };
}

export function listValues(field: Field, context: ListContext): unknown {
  const { bind = 'static', type } = field;
  if (bind === 'user_groups') return groupValues(field, context);
  if (bind === 'static') return type === 'tbl' ? openListValues(field, context, MAX_SHOWN_LABELS) : staticValues(field);
  // An open list takes any user, so the representation holds the route of the users.
  return listedUsers(field, context)?.map(userValue) ?? { resource: { type: 'users', uri: 'users/?query=' } };
}

const isListOfUsers = ({ bind, type }: Field): boolean => bind === 'users' && type !== 'tbl';

/** Without the groups of all accounts, which anonymous readers may not list. */
const listedGroups = ({ from = [] }: Field): readonly GroupId[] =>
  from.filter((id) => id !== ALL_USERS && id !== REGISTERED_USERS);

/** Undefined for a field whose values are no list of users. */
export const listedUsers = (field: Field, { membersOf }: Pick<ListContext, 'membersOf'>) =>
  isListOfUsers(field) ? membersOf(listedGroups(field)) : undefined;

/** Every representation of a tracker holds these fields, so they must be cheap. */
const MAX_WRITERS = 100;

/**
 * Who may be found in a field that holds a writer. No read model holds all writers of a tracker. So these are users
 * whom the reader may see elsewhere: the reader, and users in lists of the tracker and in groups of the project.
 */
export function writerValues(
  tracker: CompiledTracker,
  { definitions, project, viewer }: Omit<ListContext, 'membersOf'>,
) {
  const lists = viewer.readable(tracker).fields.filter(isListOfUsers);
  const groups = viewer.canSeeMembers(project) ? [PROJECT_MEMBERS, ...project.groups.map(({ id }) => id)] : [];
  const asked = [...lists.flatMap(listedGroups), ...groups];
  const { user: reader } = viewer;
  const others = groupMembers(definitions, project, asked, MAX_WRITERS).filter(({ id }) => id !== reader?.id);
  return [...(reader === null ? [] : [reader]), ...others].slice(0, MAX_WRITERS).map(userValue);
}

const userValue = (user: UserView) => ({ id: user.id, label: user.username, user_reference: userReference(user) });

/** All readers share the text of a user. */
const userValueText = madeOnce((user) => JSON.stringify(userValue(user)));

/** What stands between the brackets of their JSON. */
export function* userValueTexts(users: readonly UserView[]): Generator<string, void, void> {
  for (const [nth, user] of users.entries()) {
    if (nth > 0) yield ',';
    yield userValueText(user);
  }
}

function staticValues({ values = [] }: Field) {
  return values.map(({ id, label, hidden, color }) => ({ id, label, is_hidden: hidden, value_color: color }));
}

/** Those of the list, then the first `most` of those that users added. */
export function openListValues(field: Field, { definitions }: Pick<ListContext, 'definitions'>, most = Infinity) {
  const added = definitions.openValues(field.id).slice(0, most);
  return [
    ...staticValues(field),
    ...added.map(({ number, label }) => ({ id: `o${number}`, label, is_hidden: false, value_color: '' })),
  ];
}

/** Open lists show groups as the values of artifacts do. */
function groupValues({ from = [], type }: Field, { project }: ListContext): readonly object[] {
  if (type === 'tbl') return userGroups(project, from);
  return from.flatMap((id) => {
    const group = userGroup(project, id);
    return group === undefined ? [] : [{ id, label: group.label, ugroup_reference: group }];
  });
}

/** What a new artifact holds: values, users or groups, as the list is bound. */
export function listDefault(field: Field, context: ListContext): readonly unknown[] {
  const items = [...numbersOf(field.default).map((bound) => ({ bound })), ...openListOf(field.default)];
  return items.flatMap((item) =>
    'open' in item ? { id: `o${item.open}`, label: item.label } : (boundItem(field, item.bound, context) ?? []),
  );
}

function boundItem(
  { bind = 'static', values = [] }: Field,
  id: number,
  { definitions, project, viewer }: ListContext,
): unknown {
  switch (bind) {
    case 'static': {
      const value = values.find((candidate) => candidate.id === id);
      return value && { id, label: value.label };
    }
    case 'users': {
      const user = definitions.user(id);
      return user && userFor(viewer, user);
    }
    case 'user_groups':
      return userGroup(project, id);
  }
}
