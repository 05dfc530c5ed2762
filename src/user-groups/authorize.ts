/** Whether a caller gets at a user group at all, and at its members: before anything else is looked at. */
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { type GroupId, type Membership } from '../projects/project-events.js';
import { visibleProject } from '../projects/queries.js';
import { userGroup, type GroupOwner } from '../projects/representation.js';

/** The groups that every project shares. */
const PLATFORM: GroupOwner & Membership = { id: 0, groups: [], admins: [], members: [] };

/** Administrators of the project; of the site, for the groups of the platform. */
export function refuseOthers(owner: Membership, viewer: Viewer): void {
  if (viewer.canSeeMembers(owner)) return;
  throw new Problem('forbidden', 'Only administrators of the project may list or change the members of its groups');
}

/** `id` as representations have it: `110_3` for the members of a project, a bare number where that says enough. */
export function requestedGroup(definitions: Definitions, viewer: Viewer, id: string) {
  const [first = '', second] = id.split('_');
  const groupId = Number(second ?? first);
  const owner =
    second === undefined ? ownerOf(definitions, viewer, groupId) : visibleProject(definitions, viewer, Number(first));
  const representation = userGroup(owner, groupId);
  if (representation === undefined || representation.id !== id) throw notFound();
  return { owner, groupId, representation };
}

function ownerOf(definitions: Definitions, viewer: Viewer, groupId: GroupId) {
  const project = definitions.projectOfGroup(groupId);
  return project === undefined ? PLATFORM : visibleProject(definitions, viewer, project.id);
}

const notFound = (): Problem => new Problem('not-found', 'This user group does not exist');
