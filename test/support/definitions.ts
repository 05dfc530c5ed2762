/** Definitions from plain data: what a spec does not name gets an inconspicuous default. */
import { NO_STREAM } from '../../src/core/event-log.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { type ProjectView } from '../../src/projects/project-view.js';
import {
  ALL_USERS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type UserGroup,
} from '../../src/projects/project-events.js';
import { type Platform } from '../../src/platform/platform.js';
import { compileTracker, type CompiledTracker } from '../../src/trackers/compiled-tracker.js';
import { type Field, type FieldType, type ListValue } from '../../src/trackers/field-types/definition.js';
import { reportsOf } from '../../src/trackers/report.js';
import { type OpenValuesView, type TrackerView } from '../../src/trackers/tracker-view.js';
import { type ArtifactDocument } from '../../src/artifacts/artifact-view.js';
import { type UserView } from '../../src/users/user-view.js';

const PROJECT_ID = 110;
export const TRACKER_ID = 101;

export function userOf(id: number, given: Partial<UserView> = {}): UserView {
  return {
    id,
    username: `user${id}`,
    realName: `User ${id}`,
    email: `user${id}@example.org`,
    passwordHash: '',
    siteAdmin: false,
    status: 'active',
    tokensValidFrom: 0,
    revokedTokens: [],
    accessKeys: [],
    revision: 0,
    ...given,
  };
}

export function groupOf(id: GroupId, given: Partial<UserGroup> = {}): UserGroup {
  return { id, shortName: `group${id}`, label: `Group ${id}`, members: [], ...given };
}

export function projectOf(given: Partial<ProjectView> = {}): ProjectView {
  return {
    id: PROJECT_ID,
    shortname: `project${given.id ?? PROJECT_ID}`,
    label: `Project ${given.id ?? PROJECT_ID}`,
    description: '',
    access: 'public',
    status: 'active',
    svn: false,
    admins: [],
    members: [],
    groups: [],
    revision: 0,
    ...given,
  };
}

export function listValueOf(id: number, given: Partial<ListValue> = {}): ListValue {
  return { id, label: `Value ${id}`, color: '', hidden: false, ...given };
}

/** Readable by all, submitted and updated by whom the tracker says. */
export function fieldOf(id: number, type: FieldType, given: Partial<Field> = {}): Field {
  return {
    id,
    name: `${type}_${id}`,
    label: `${type} ${id}`,
    description: '',
    type,
    required: false,
    used: true,
    permissions: { read: [ALL_USERS], submit: null, update: null },
    ...given,
  };
}

export function trackerViewOf(fields: readonly Field[], given: Partial<TrackerView> = {}): TrackerView {
  return {
    id: TRACKER_ID,
    projectId: PROJECT_ID,
    itemName: 'bug',
    label: 'Bugs',
    description: '',
    color: 'fiesta-red',
    admins: { users: [], groups: [] },
    permissions: { access: [ALL_USERS], submit: [REGISTERED_USERS], update: [PROJECT_MEMBERS] },
    fields,
    semantics: {},
    workflow: null,
    deleted: false,
    revision: 0,
    ...given,
  };
}

export function trackerOf(fields: readonly Field[], given: Partial<TrackerView> = {}): CompiledTracker {
  return compileTracker(trackerViewOf(fields, given));
}

export function artifactOf(id: number, given: Partial<ArtifactDocument> = {}): ArtifactDocument {
  return {
    id,
    trackerId: TRACKER_ID,
    atid: 1,
    revision: 0,
    values: {},
    limitedBy: [],
    unasked: [],
    closedOn: null,
    submittedBy: null,
    submittedOn: '2024-03-05T09:11:12.345Z',
    lastUpdateBy: null,
    lastUpdateOn: '2024-03-06T10:12:13.456Z',
    ...given,
  };
}

export interface GivenDefinitions {
  readonly users?: readonly UserView[];
  readonly projects?: readonly ProjectView[];
  readonly trackers?: readonly CompiledTracker[];
  /** By id of the open list. */
  readonly openValues?: Readonly<Record<number, OpenValuesView['values']>>;
  readonly platform?: Partial<Platform>;
}

/** Definitions that never change. Without projects they know the one that trackers are in by default. */
export function definitionsOf(given: GivenDefinitions = {}): Definitions {
  const { users = [], projects = [projectOf()], trackers = [], openValues = {}, platform = {} } = given;
  const byLabel = (a: CompiledTracker, b: CompiledTracker): number => (a.view.label < b.view.label ? -1 : 1);
  return {
    user: (id) => users.find((user) => user.id === id),
    currentUser: (id) => users.find((user) => user.id === id),
    userNamed: (username) => users.find((user) => user.username === username),
    userWithAccessKey: (id) => users.find(({ accessKeys }) => accessKeys.some((key) => key.id === id)),
    users: () => users,
    project: (id) => projects.find((project) => project.id === id),
    projectNamed: (shortname) => projects.find((project) => project.shortname === shortname),
    projectOfGroup: (id) => projects.find(({ groups }) => groups.some((group) => group.id === id)),
    projects: () => projects.toSorted((a, b) => a.id - b.id),
    tracker: (id) => trackers.find((tracker) => tracker.id === id),
    trackerOfField: (id) => trackers.find((tracker) => !tracker.view.deleted && tracker.fieldById(id) !== undefined),
    trackerOfReport: (id) =>
      trackers.find(({ view }) => !view.deleted && reportsOf(view).some((report) => report.id === id)),
    trackersOf: (projectId) =>
      trackers.filter(({ view }) => view.projectId === projectId && !view.deleted).toSorted(byLabel),
    openValues: (fieldId) => openValues[fieldId] ?? [],
    platform: () => ({
      anonymousAccess: true,
      artifactDeletionLimit: 0,
      archiveDeletedArtifacts: false,
      linkTypes: [],
      revision: NO_STREAM,
      ...platform,
    }),
    generation: '0',
  };
}
