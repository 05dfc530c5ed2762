import { randomUUID } from 'node:crypto';
import { type EventLog } from '../core/event-log.js';
import { handle, type CommandEnvelope } from '../core/handle.js';
import { releaseName } from '../core/name-reservation.js';
import { projectDecider } from '../projects/project-decider.js';
import { projectStream } from '../projects/project.js';
import { platformDecider } from '../settings/settings-decider.js';
import { PLATFORM_STREAM } from '../settings/settings.js';
import { trackerDecider } from '../trackers/tracker-decider.js';
import { trackerStream } from '../trackers/tracker.js';
import { userDecider } from '../users/user-decider.js';
import { userStream } from '../users/user.js';
import { createUnder, projectKind, trackerKind, userKind, type By } from './creations.js';
import { type Step } from './step.js';

type StepOf<Of extends Step['of']> = Extract<Step, { of: Of }>;

/** False when another process took the name first: the rest of the plan then speaks of ids that are not in use. */
export function execute(log: EventLog, step: Step, by: By): Promise<boolean> {
  switch (step.of) {
    case 'platform':
      return done(
        handle(log, platformDecider, { stream: PLATFORM_STREAM, ...envelope(by), command: () => step.command }),
      );
    case 'user':
      return executeForUser(log, step, by);
    case 'project':
      return executeForProject(log, step, by);
    case 'tracker':
      return executeForTracker(log, step, by);
  }
}

function envelope(metadata: By): Pick<CommandEnvelope<unknown, unknown>, 'commandId' | 'metadata'> {
  return { commandId: randomUUID(), metadata };
}

async function done(work: Promise<unknown>): Promise<true> {
  await work;
  return true;
}

function executeForUser(log: EventLog, { command, unique }: StepOf<'user'>, by: By): Promise<boolean> {
  const { userId: id } = command;
  if (command.type === 'RegisterUser') {
    const { username, realName, email, passwordHash, siteAdmin } = command;
    const creation = { userId: id, username, realName, email, passwordHash, siteAdmin };
    return createUnder(log, unique, userKind, { id, creation }, by);
  }
  return done(handle(log, userDecider, { stream: userStream(id), ...envelope(by), command: () => command }));
}

function executeForProject(log: EventLog, { command, unique }: StepOf<'project'>, by: By): Promise<boolean> {
  const { projectId: id } = command;
  if (command.type === 'RegisterProject') {
    const { shortname, label, description, access, svn, admins, members, groups } = command;
    const creation = { projectId: id, shortname, label, description, access, svn, admins, members, groups };
    return createUnder(log, unique, projectKind, { id, creation }, by);
  }
  return done(handle(log, projectDecider, { stream: projectStream(id), ...envelope(by), command: () => command }));
}

async function executeForTracker(log: EventLog, { command, unique }: StepOf<'tracker'>, by: By): Promise<boolean> {
  const { trackerId: id } = command;
  if (command.type === 'DefineTracker') {
    const { projectId, itemName, label, description, color, admins, permissions, fields, semantics, workflow } =
      command;
    const heading = { trackerId: id, projectId, itemName, label, description, color };
    const creation = { ...heading, admins, permissions, fields, semantics, workflow };
    return createUnder(log, unique, trackerKind, { id, creation }, by);
  }
  await handle(log, trackerDecider, { stream: trackerStream(id), ...envelope(by), command: () => command });
  if (command.type === 'DeleteTracker') await releaseName(log, unique, { id, commandId: randomUUID() }, by);
  return true;
}
