/** Whether a caller gets at a user group at all, and at its members: before anything else is looked at. */
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { type GroupId, type Membership } from '../projects/project-events.js';
import { visibleProject } from '../projects/queries.js';
import { isOwnGroup, namedGroup, userGroup, type GroupOwner } from '../projects/representation.js';

/** The groups that every project shares. */
const PLATFORM: GroupOwner & Membership = { id: 0, groups: [], admins: [], members: [] };

/** Administrators of the project; of the site, for the groups of the platform. */
export function refuseOthers(owner: Membership, viewer: Viewer): void {
  if (viewer.canSeeMembers(owner)) return;
  throw new Problem('forbidden', 'Only administrators of the project may list or change the members of its groups');
}

/**
 * `id` as representations have it: `110_3` for the members of a project, a bare number where that says enough. Clients also
 * write the project before the id of one of its own groups.
 */
export function requestedGroup(definitions: Definitions, viewer: Viewer, id: string) {
  const named = namedGroup(id);
  if (named === undefined) throw notFound();
  const { projectId, groupId } = named;
  const owner =
    projectId === undefined ? ownerOf(definitions, viewer, groupId) : visibleProject(definitions, viewer, projectId);
  const representation = userGroup(owner, groupId);
  if (representation === undefined) throw notFound();
  if (representation.id !== id && !isOwnGroup(groupId)) throw notFound();
  return { owner, groupId, representation };
}

function ownerOf(definitions: Definitions, viewer: Viewer, groupId: GroupId) {
  const project = definitions.projectOfGroup(groupId);
  return project === undefined ? PLATFORM : visibleProject(definitions, viewer, project.id);
}

const notFound = (): Problem => new Problem('not-found', 'This user group does not exist');
