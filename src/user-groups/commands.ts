/** Who is in a group, as administrators of its project say: between a validated request and the project's events. */
import { randomUUID } from 'node:crypto';
import { inPieces } from '../core/concurrency/others-turn.js';
import { handle } from '../core/handle.js';
import { Problem } from '../core/problem.js';
import { metadataOf, type Caller } from '../authorization/caller.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  projectStream,
  REGISTERED_USERS,
  type GroupId,
} from '../projects/project-events.js';
import { projectDecider, type Project, type ProjectCommand } from '../projects/project.js';
import { PROJECTS } from '../projects/project-view.js';
import { refuseOthers, requestedGroup } from './authorize.js';
import { namedUsers } from './named-users.js';
import { type UserGroupPorts } from './ports.js';
import { type MembersBody } from './schemas.js';

/**
 * Judged by the project that is written upon, also after a lost race. Resolves once every process has applied the
 * change, so that the members' rights hold at once.
 */
export async function replaceMembers(
  id: string,
  body: MembersBody,
  { log, readModels, clock, definitions }: UserGroupPorts,
  caller: Caller,
): Promise<void> {
  const { owner, groupId } = requestedGroup(definitions, caller.viewer, id);
  refuseOthers(owner, caller.viewer);
  refuseFixed(groupId);
  const users = await inPieces(namedUsers(body, definitions));
  const { position, end } = await handle(log, projectDecider, {
    stream: projectStream(owner.id),
    commandId: randomUUID(),
    isNew: true,
    metadata: metadataOf(caller, clock()),
    command: ({ state }): ProjectCommand => {
      if (state === null) throw new Problem('not-found', 'This user group does not exist');
      refuseOthers(state, caller.viewer);
      refuseSuspended(state);
      const active = users.filter((id) => definitions.user(id)?.status === 'active');
      return { type: 'ReplaceGroupMembers', projectId: owner.id, groupId, users, active };
    },
  });
  // What another request has done may not be shown yet either.
  const last = position ?? end;
  if (last !== null) await readModels.caughtUp(PROJECTS, last);
}

const FIXED: readonly GroupId[] = [ALL_USERS, REGISTERED_USERS, PROJECT_ADMINS];

function refuseFixed(group: GroupId): void {
  if (!FIXED.includes(group)) return;
  throw new Problem('invalid', 'Only the members of a project and of its own groups can be replaced');
}

/** No user writes in a suspended project. */
function refuseSuspended({ status }: Project): void {
  if (status === 'suspended') throw new Problem('forbidden', 'The project of this user group is suspended');
}
