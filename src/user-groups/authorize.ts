/** Whether a caller gets at a user group at all, and at its members: before anything else is looked at. */
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { type Membership } from '../projects/project-events.js';
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
  const project = visibleOwner(definitions, viewer, projectId ?? definitions.projectOfGroup(groupId)?.id);
  const owner = project ?? PLATFORM;
  const representation = userGroup(owner, groupId);
  if (representation === undefined || !(representation.id === id || isOwnGroup(groupId))) throw notFound();
  return { owner, project, groupId, representation };
}

const visibleOwner = (definitions: Definitions, viewer: Viewer, id: number | undefined) =>
  id === undefined ? undefined : visibleProject(definitions, viewer, id);

const notFound = (): Problem => new Problem('not-found', 'This user group does not exist');
