import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';

/**
 * 1 to 99 are the groups every platform has: ALL_USERS to PROJECT_ADMINS; a project's own groups start at 101.
 */
export type GroupId = number;

export const ALL_USERS: GroupId = 1;
export const REGISTERED_USERS: GroupId = 2;
export const PROJECT_MEMBERS: GroupId = 3;
export const PROJECT_ADMINS: GroupId = 4;

export type ProjectAccess = 'public' | 'private';

export interface UserGroup {
  readonly id: GroupId;
  readonly shortName: string;
  readonly label: string;
  /** User ids. */
  readonly members: readonly number[];
}

export interface Membership {
  /** User ids; admins are members too, whether listed in `members` or not. */
  readonly admins: readonly number[];
  readonly members: readonly number[];
  readonly groups: readonly UserGroup[];
}

export interface Registration extends Membership {
  readonly shortname: string;
  readonly label: string;
  readonly description: string;
  readonly access: ProjectAccess;
  readonly svn: boolean;
}

/** Stored for ever: extend, never rename. */
export type ProjectEvent =
  | Event<'ProjectRegistered', Registration & { projectId: number }>
  | Event<'ProjectMembersChanged', Membership & { projectId: number }>
  | Event<'ProjectRenamed', { projectId: number; label: string; description: string }>
  | Event<'ProjectAccessChanged', { projectId: number; access: ProjectAccess }>
  | Event<'ProjectServicesChanged', { projectId: number; svn: boolean }>
  | Event<'ProjectSuspended', { projectId: number }>
  | Event<'ProjectReactivated', { projectId: number }>;

export const projectEventTypes: EventTypes<ProjectEvent> = {
  ProjectRegistered: [],
  ProjectMembersChanged: [],
  ProjectRenamed: [],
  ProjectAccessChanged: [],
  ProjectServicesChanged: [],
  ProjectSuspended: [],
  ProjectReactivated: [],
};

export const projectStream = (id: number): StreamName => `project-${id}`;
