/**
 * The present platform as a file: applied again, it changes nothing. Without passwords, of which the log holds only
 * hashes.
 */
import { flatMapInSteps, type Steps } from '../../core/concurrency/others-turn.js';
import { Problem } from '../../core/problem.js';
import { type Definitions } from '../../definitions/definitions.js';
import { type GroupId } from '../../projects/project-events.js';
import { type ProjectView } from '../../projects/project-view.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { allFields } from '../../trackers/field-types/definition.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { type UserView } from '../../users/user-view.js';
import { exportedField, usedFields, type Names } from './exported-field.js';
import { BUILT_IN_GROUPS } from '../plan/desired-projects.js';

/**
 * Each member is named, defaults too, because a member that is not named stays as it is: applied later, the file brings
 * back what it was made from. Null is a member that is absent.
 */
export function* exportedPlatform(definitions: Definitions): Steps<object> {
  const { anonymousAccess, artifactDeletionLimit, archiveDeletedArtifacts, linkTypes } = definitions.platform();
  const users = definitions.users().toSorted((a, b) => a.id - b.id);
  const usernames = new Map(users.map(({ id, username }) => [id, username]));
  // All before the first step: later ones may see what is applied meanwhile.
  const known = definitions.projects().map((project) => ({ project, trackers: definitions.trackersOf(project.id) }));
  const projects: object[] = [];
  for (const each of known) projects.push(yield* exportedProject(each, usernames));
  return {
    settings: {
      anonymous_access: anonymousAccess,
      artifact_deletion_limit: artifactDeletionLimit,
      archive_deleted_artifacts: archiveDeletedArtifacts,
    },
    artifact_link_types: linkTypes.map(({ shortname, forwardLabel, reverseLabel }) => ({
      shortname,
      forward_label: forwardLabel,
      reverse_label: reverseLabel,
    })),
    users: users.map(exportedUser),
    projects,
  };
}

const exportedUser = ({ username, realName, email, siteAdmin, status }: UserView): object => ({
  username,
  real_name: realName,
  email,
  site_admin: siteAdmin,
  status,
});

interface KnownProject {
  readonly project: ProjectView;
  readonly trackers: readonly CompiledTracker[];
}

function* exportedProject({ project, trackers }: KnownProject, usernames: Usernames): Steps<object> {
  const names = knownNames(project, usernames);
  const { shortname, label, description, access, status, svn } = project;
  return {
    shortname,
    label,
    description,
    access,
    status,
    admins: names.users(project.admins),
    members: names.users(project.members),
    user_groups: project.groups.map((group) => ({
      short_name: group.shortName,
      label: group.label,
      members: names.users(group.members),
    })),
    svn,
    trackers: yield* flatMapInSteps(trackers, ({ view }) => [exportedTracker(view, names)]),
  };
}

type Usernames = ReadonlyMap<number, string>;

function knownNames(project: ProjectView, usernames: Usernames): Names {
  const groupNames = new Map<GroupId, string>([
    ...[...BUILT_IN_GROUPS].map(([name, id]): [GroupId, string] => [id, name]),
    ...project.groups.map(({ id, shortName }): [GroupId, string] => [id, shortName]),
  ]);
  return {
    users: (ids) => namesIn(usernames, ids),
    groups: (ids) => namesIn(groupNames, ids),
  };
}

/** Each once: earlier releases stored a user twice whom a file named in two spellings. */
const namesIn = (names: ReadonlyMap<number, string>, ids: readonly number[]): readonly string[] =>
  [...new Set(ids)].map((id) => nameIn(names, id));

/** What has no name is in a read model that is behind, or of a marked stream. Left out, its rights would be lost once the file is applied. */
function nameIn(names: ReadonlyMap<number, string>, id: number): string {
  const name = names.get(id);
  if (name === undefined)
    throw new Problem(
      'unavailable',
      'The read models lack a user or group that the platform names: see `status`, and export again',
    );
  return name;
}

function exportedTracker(view: TrackerView, names: Names): object {
  const { itemName, label, description, color, admins, permissions } = view;
  return {
    item_name: itemName,
    label,
    description,
    color_name: color,
    admins: [...names.users(admins.users), ...names.groups(admins.groups)],
    permissions: {
      access: names.groups(permissions.access),
      submit: names.groups(permissions.submit),
      update: names.groups(permissions.update),
    },
    fields: usedFields(view.fields).map((field) => exportedField(field, names)),
    semantics: exportedSemantics(view),
    workflow: exportedWorkflow(view),
    reports: (view.reports ?? []).map(({ name, isPublic, isDefault, query }) => ({
      name,
      public: isPublic,
      default: isDefault,
      query,
    })),
  };
}

function exportedSemantics({ fields, semantics }: TrackerView): object {
  const { title, description, status, contributor } = semantics;
  const { fieldName, label } = lookUps(fields);
  return {
    title: fieldName(title),
    description: fieldName(description),
    status: status === undefined ? null : { field: fieldName(status.field), open: status.open.map(label) },
    contributor: fieldName(contributor),
  };
}

function exportedWorkflow({ fields, workflow }: TrackerView): object | null {
  if (workflow === null) return null;
  const { fieldName, label } = lookUps(fields);
  return {
    field: fieldName(workflow.field),
    transitions: workflow.transitions.map(({ from, to }) => [from === null ? null : label(from), label(to)]),
  };
}

function lookUps(fields: TrackerView['fields']) {
  const all = allFields(fields);
  const labels = new Map(all.flatMap(({ values = [] }) => values.map((value) => [value.id, value.label])));
  return {
    fieldName: (id: number | undefined) => all.find((field) => field.id === id)?.name ?? null,
    label: (id: number) => labels.get(id),
  };
}
