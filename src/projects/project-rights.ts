import { type UserRights } from '../users/user-rights.js';
import { type GroupId, type Membership } from './project-events.js';
import { type Project } from './project.js';
import { type ProjectView } from './project-view.js';

/** What a caller may see and do in projects. */
export interface ProjectRights extends UserRights {
  readonly isMemberOf: (project: Project) => boolean;
  readonly isAdminOf: (project: Project) => boolean;
  /** Whether the caller administers a tracker of the project. */
  readonly isTrackerAdminIn: (project: ProjectView) => boolean;
  /** All groups of the project that hold the caller. */
  readonly groupsIn: (project: Membership) => ReadonlySet<GroupId>;
  /** Whether the project is public or the caller's own. One that is suspended is known, but not visible. */
  readonly knowsProject: (project: ProjectView) => boolean;
  readonly canSeeProject: (project: ProjectView) => boolean;
  /** Whether the caller may list who is in the groups of a project, or of the platform. */
  readonly canSeeMembers: (owner: Membership) => boolean;
}
