/** The rules of a project. A file of its own because the read model folds the same events. */
import { isDeepStrictEqual } from 'node:util';
import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { type Membership, type ProjectAccess, type ProjectEvent, type Registration } from './project-events.js';
import { withReplaced, type Replacement } from './replaced-members.js';

type Heading = Pick<Registration, 'label' | 'description'>;

export type ProjectCommand =
  | (Registration & { readonly type: 'RegisterProject'; readonly projectId: number; readonly status?: 'suspended' })
  | (Membership & { readonly type: 'ChangeProjectMembers'; readonly projectId: number })
  | (Replacement & { readonly type: 'ReplaceGroupMembers'; readonly projectId: number })
  | (Heading & { readonly type: 'RenameProject'; readonly projectId: number })
  | { readonly type: 'ChangeProjectAccess'; readonly projectId: number; readonly access: ProjectAccess }
  | { readonly type: 'ChangeProjectServices'; readonly projectId: number; readonly svn: boolean }
  | { readonly type: 'SuspendProject'; readonly projectId: number }
  | { readonly type: 'ReactivateProject'; readonly projectId: number };

export interface Project extends Registration {
  readonly status: 'active' | 'suspended';
}

export const projectDecider: Decider<Project | null, ProjectCommand, ProjectEvent> = {
  initialState: null,

  decide(command, project) {
    if (command.type === 'RegisterProject') return register(command, project);
    if (project === null) throw new Problem('not-found', 'No such project');
    if (command.type !== 'ReplaceGroupMembers') return change(command, project);
    const { projectId } = command;
    return change({ type: 'ChangeProjectMembers', projectId, ...withReplaced(project, command) }, project);
  },

  evolve(project, event) {
    if (event.type === 'ProjectRegistered') {
      const { shortname, label, description, access, svn } = event.data;
      return { shortname, label, description, access, svn, ...membershipOf(event.data), status: 'active' };
    }
    return project && changed(project, event);
  },
};

function changed(project: Project, { type, data }: Exclude<ProjectEvent, { type: 'ProjectRegistered' }>): Project {
  switch (type) {
    case 'ProjectMembersChanged':
      return { ...project, ...membershipOf(data) };
    case 'ProjectRenamed':
      return { ...project, label: data.label, description: data.description };
    case 'ProjectAccessChanged':
      return { ...project, access: data.access };
    case 'ProjectServicesChanged':
      return { ...project, svn: data.svn };
    case 'ProjectSuspended':
      return { ...project, status: 'suspended' };
    case 'ProjectReactivated':
      return { ...project, status: 'active' };
  }
}

function register(
  command: Extract<ProjectCommand, { type: 'RegisterProject' }>,
  project: Project | null,
): readonly ProjectEvent[] {
  const { projectId, shortname, label, description, access, svn, status } = command;
  if (project === null) {
    const data = { projectId, shortname, label, description, access, svn, ...membershipOf(command) };
    const registered: ProjectEvent = { type: 'ProjectRegistered', data };
    return status === undefined ? [registered] : [registered, changeEvent({ type: 'SuspendProject', projectId })];
  }
  if (project.shortname === shortname) return [];
  throw new Problem('conflict', 'The project exists already');
}

type Change = Exclude<ProjectCommand, { type: 'RegisterProject' | 'ReplaceGroupMembers' }>;

function change(command: Change, project: Project): readonly ProjectEvent[] {
  const event = changeEvent(command);
  return isDeepStrictEqual(projectDecider.evolve(project, event), project) ? [] : [event];
}

function changeEvent(command: Change): ProjectEvent {
  const { projectId } = command;
  switch (command.type) {
    case 'ChangeProjectMembers':
      return { type: 'ProjectMembersChanged', data: { projectId, ...membershipOf(command) } };
    case 'RenameProject': {
      const { label, description } = command;
      return { type: 'ProjectRenamed', data: { projectId, label, description } };
    }
    case 'ChangeProjectAccess':
      return { type: 'ProjectAccessChanged', data: { projectId, access: command.access } };
    case 'ChangeProjectServices':
      return { type: 'ProjectServicesChanged', data: { projectId, svn: command.svn } };
    case 'SuspendProject':
      return { type: 'ProjectSuspended', data: { projectId } };
    case 'ReactivateProject':
      return { type: 'ProjectReactivated', data: { projectId } };
  }
}

const membershipOf = ({ admins, members, groups }: Membership): Membership => ({ admins, members, groups });
