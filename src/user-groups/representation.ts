/** What the routes of user groups show of a group. Other representations hold the group without more. */
import { type ProjectView } from '../projects/project-view.js';
import { minimalProject, type UserGroupRepresentation } from '../projects/representation.js';

/** Clients read it, and find nothing in it. */
const NOTHING: readonly object[] = [];

export const listedGroup = (group: UserGroupRepresentation) => ({ ...group, additional_information: NOTHING });

interface RequestedGroup {
  readonly representation: UserGroupRepresentation;
  /** Undefined for a group that every project shares. */
  readonly project: ProjectView | undefined;
}

export const wholeGroup = ({ representation, project }: RequestedGroup) => ({
  ...representation,
  project: project === undefined ? null : minimalProject(project),
  additional_information: NOTHING,
});
