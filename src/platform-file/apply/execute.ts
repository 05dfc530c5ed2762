import { randomUUID } from 'node:crypto';
import { type Decider } from '../../core/decider.js';
import { type Event, type EventLog, type Revision, type StreamName } from '../../core/event-log.js';
import { type Current } from '../../core/folded-streams.js';
import { handle } from '../../core/handle.js';
import { releaseName, type UniqueName } from '../../core/name-reservation.js';
import { type Definitions } from '../../definitions/definitions.js';
import { projectDecider } from '../../projects/project.js';
import { projectStream } from '../../projects/project-events.js';
import { createProject, createTracker, createUser, reserveAndCreate, type By } from '../../names/reserve-and-create.js';
import { platformDecider } from '../../platform/platform.js';
import { PLATFORM_STREAM } from '../../platform/platform-events.js';
import { trackerDecider, type TrackerCommand } from '../../trackers/tracker.js';
import { trackerStream } from '../../trackers/tracker-events.js';
import { userDecider } from '../../users/user.js';
import { userStream } from '../../users/user-events.js';
import { withHash, type Hashes } from './passwords.js';
import { type PlanStep } from '../plan/plan-step.js';

type StepOf<Of extends PlanStep['of']> = Extract<PlanStep, { of: Of }>;

/** By stream: the revision that a plan was made on, and after its steps the one that they have led to. */
export type Planned = Map<StreamName, Revision>;

interface Execution {
  readonly log: EventLog;
  readonly definitions: Definitions;
  readonly hashes: Hashes;
  readonly planned: Planned;
  readonly by: By;
}

/**
 * False when another process was faster, or an earlier one was cut off. It has taken the name, so that the rest of the plan
 * speaks of ids that are not in use; or it has changed the stream of the step: the plan would set back members that its
 * file does not name.
 */
export function execute(step: PlanStep, execution: Execution): Promise<boolean> {
  switch (step.of) {
    case 'platform':
      return asPlanned(platformDecider, PLATFORM_STREAM, step.command, execution);
    case 'user':
      return executeForUser(step, execution);
    case 'project':
      return executeForProject(step, execution);
    case 'tracker':
      return executeForTracker(step, execution);
  }
}

class Outdated extends Error {}

/** False, with nothing written, on another revision than the plan was made on. Users, and streams that the plan begins, have none. */
async function asPlanned<State, Command, E extends Event>(
  decider: Decider<State, Command, E>,
  stream: StreamName,
  command: Command,
  { log, by, planned }: Execution,
): Promise<boolean> {
  const expected = planned.get(stream);
  const commandFor = ({ revision }: Current<State>): Command => {
    if (expected !== undefined && revision !== expected) throw new Outdated();
    return command;
  };
  try {
    const { revision } = await handle(log, decider, {
      stream,
      commandId: randomUUID(),
      metadata: by,
      command: commandFor,
    });
    if (expected !== undefined) planned.set(stream, revision);
    return true;
  } catch (error) {
    if (error instanceof Outdated) return false;
    throw error;
  }
}

async function executeForUser(step: StepOf<'user'>, execution: Execution): Promise<boolean> {
  const command = withHash(step, execution.hashes);
  const { userId: id } = command;
  if (command.type !== 'RegisterUser') return asPlanned(userDecider, userStream(id), command, execution);

  const { username, realName, email, passwordHash, siteAdmin, status } = command;
  const creation = { userId: id, username, realName, email, passwordHash, siteAdmin, ...(status && { status }) };
  return (await reserveAndCreate(execution.log, step.unique, createUser, { id, creation }, execution.by)) === id;
}

async function executeForProject({ command, unique }: StepOf<'project'>, execution: Execution): Promise<boolean> {
  const { projectId: id } = command;
  if (command.type !== 'RegisterProject') return asPlanned(projectDecider, projectStream(id), command, execution);

  const { shortname, label, description, access, svn, admins, members, groups, status } = command;
  const registration = { projectId: id, shortname, label, description, access, svn, admins, members, groups };
  const creation = { ...registration, ...(status && { status }) };
  return (await reserveAndCreate(execution.log, unique, createProject, { id, creation }, execution.by)) === id;
}

async function executeForTracker(step: StepOf<'tracker'>, execution: Execution): Promise<boolean> {
  const { command, unique } = step;
  const { trackerId: id } = command;
  if (command.type === 'DefineTracker') return defineTracker(command, unique, execution);
  const isAsPlanned = await asPlanned(trackerDecider, trackerStream(id), command, execution);
  if (isAsPlanned && command.type === 'DeleteTracker') await release(unique, id, execution);
  return isAsPlanned;
}

async function defineTracker(
  command: Extract<TrackerCommand, { type: 'DefineTracker' }>,
  unique: UniqueName,
  execution: Execution,
): Promise<boolean> {
  const { trackerId: id, projectId, itemName, label, description, color } = command;
  const { admins, permissions, fields, semantics, workflow } = command;
  const heading = { trackerId: id, projectId, itemName, label, description, color };
  const creation = { ...heading, admins, permissions, fields, semantics, workflow };
  const { log, definitions, by } = execution;
  const holder = await reserveAndCreate(log, unique, createTracker, { id, creation }, by);
  // Deleted, but not yet rid of its name.
  if (definitions.tracker(holder)?.view.deleted) await release(unique, holder, execution);
  return holder === id;
}

function release(unique: UniqueName, id: number, { log, by }: Execution): Promise<void> {
  return releaseName(log, unique, { id, commandId: randomUUID() }, by);
}
