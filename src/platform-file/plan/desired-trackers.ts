import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { type GroupId } from '../../projects/project-events.js';
import { type TrackerAdmins, type TrackerPermissions } from '../../trackers/field-types/definition.js';
import { type TrackerDefinition } from '../../trackers/tracker-events.js';
import { type Report } from '../../trackers/report.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { colorFault } from '../format/colors.js';
import { DEFAULTS } from '../format/defaults.js';
import { type TrackerEntry } from '../format/tracker-schema.js';
import { inside, desired } from './member.js';
import {
  desiredDescription,
  refuseDuplicates,
  refuseFaultyLabel,
  groupIds,
  desiredIds,
  type ProjectResolver,
} from './resolver.js';
import { desiredFields } from './desired-fields.js';
import { desiredReports } from './desired-reports.js';
import { desiredSemantics, type DesiredSemantics } from './desired-semantics.js';
import { desiredWorkflow } from './desired-workflow.js';

export interface DesiredTracker extends TrackerDefinition {
  readonly id: number;
  readonly present: TrackerView | undefined;
  readonly reports: readonly Report[];
  readonly unfitReports: readonly string[];
}

export function* desiredTrackers(
  entries: readonly TrackerEntry[],
  pointer: string,
  resolver: ProjectResolver,
): Steps<readonly DesiredTracker[]> {
  refuseDuplicates(
    entries.map(({ item_name }) => item_name),
    (index) => `${pointer}/${index}/item_name`,
    resolver.complain,
  );
  return yield* flatMapInSteps(entries, (entry, index) => [desiredTracker(entry, `${pointer}/${index}`, resolver)]);
}

function desiredTracker(entry: TrackerEntry, pointer: string, resolver: ProjectResolver): DesiredTracker {
  const trackers = resolver.present.trackersOf(resolver.projectId);
  const present = trackers.find(({ view }) => view.itemName === entry.item_name)?.view;
  const known: Partial<TrackerView> = present ?? {};
  const id = known.id ?? resolver.newId('tracker');
  const form = desiredFields(entry.fields, known.fields ?? [], `${pointer}/fields`, resolver);
  const meaning: DesiredSemantics = { form, present, pointer, resolver };
  const fault = colorFault(entry.color_name, known.color);
  if (fault !== undefined) resolver.complain(`${pointer}/color_name`, fault);
  refuseFaultyLabel(entry.label, known.label, `${pointer}/label`, resolver);
  const definition: TrackerDefinition = {
    projectId: resolver.projectId,
    itemName: entry.item_name,
    label: entry.label,
    description: desiredDescription(entry.description, known.description, pointer, resolver),
    color: desired(entry.color_name, known.color, DEFAULTS.trackerColor),
    admins: adminsOf(entry.admins, known.admins, `${pointer}/admins`, resolver),
    permissions: permissionsOf(entry.permissions, known.permissions, `${pointer}/permissions`, resolver),
    fields: form.fields,
    semantics: desiredSemantics(entry.semantics, meaning),
    workflow: desiredWorkflow(entry.workflow, meaning),
  };
  const after = { ...definition, id, deleted: false, revision: 0 };
  const { reports, unfit } = desiredReports(entry.reports, after, present, `${pointer}/reports`, resolver);
  return { ...definition, id, present, reports, unfitReports: unfit };
}

function permissionsOf(
  named: TrackerEntry['permissions'],
  present: TrackerPermissions | undefined,
  pointer: string,
  resolver: ProjectResolver,
): TrackerPermissions {
  const groupsOf = (action: keyof TrackerPermissions): readonly GroupId[] =>
    desiredIds(inside(named, action), present?.[action], DEFAULTS.trackerPermissions[action], (names) =>
      groupIds(names, `${pointer}/${action}`, resolver),
    );
  return { access: groupsOf('access'), submit: groupsOf('submit'), update: groupsOf('update') };
}

function adminsOf(
  named: TrackerEntry['admins'],
  present: TrackerAdmins | undefined,
  pointer: string,
  resolver: ProjectResolver,
): TrackerAdmins {
  if (named === undefined && present !== undefined) return present;
  const before = { users: new Set(present?.users), groups: new Set(present?.groups) };
  const users = new Set<number>();
  const groups = new Set<GroupId>();
  named?.forEach((name, index) => {
    const [user, group] = adminNamed(name, before, resolver);
    if ((user === undefined) === (group === undefined)) {
      const fault = user === undefined ? 'is no user and no group' : 'is a user and a group';
      resolver.complain(`${pointer}/${index}`, `${fault}: ${name}`);
    }
    if (user !== undefined) users.add(user);
    if (group !== undefined) groups.add(group);
  });
  return { users: [...users], groups: [...groups] };
}

/** Of a user and a group with this name, only the present administrator, if one of the two is: an export names this one. */
function adminNamed(
  name: string,
  present: { readonly users: ReadonlySet<number | undefined>; readonly groups: ReadonlySet<GroupId | undefined> },
  { userId, groupId }: ProjectResolver,
): readonly [user: number | undefined, group: GroupId | undefined] {
  const [user, group] = [userId(name), groupId(name)];
  const [isUser, isGroup] = [present.users.has(user), present.groups.has(group)];
  if (isUser === isGroup) return [user, group];
  return isUser ? [user, undefined] : [undefined, group];
}
