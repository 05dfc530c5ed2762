import { randomUUID } from 'node:crypto';
import { type Decider } from '../../core/decider.js';
import { type Event, type EventLog, type Revision, type StreamName } from '../../core/event-log.js';
import { handle, type CommandEnvelope, type Current } from '../../core/handle.js';
import { releaseName } from '../../core/name-reservation.js';
import { projectDecider } from '../../projects/project.js';
import { projectStream } from '../../projects/project-events.js';
import { platformDecider } from '../../platform/platform.js';
import { PLATFORM_STREAM } from '../../platform/platform-events.js';
import { trackerDecider } from '../../trackers/tracker.js';
import { trackerStream } from '../../trackers/tracker-events.js';
import { userDecider } from '../../users/user.js';
import { userStream } from '../../users/user-events.js';
import { reserveAndCreate, projectKind, trackerKind, userKind, type By } from './reserve-and-create.js';
import { type PlanStep } from '../plan/plan-step.js';

type StepOf<Of extends PlanStep['of']> = Extract<PlanStep, { of: Of }>;

/** By stream: the revision that a plan was made on, and after its steps the one that they have led to. */
export type Planned = Map<StreamName, Revision>;

/**
 * False when another process was faster. It has taken the name, so that the rest of the plan speaks of ids that are not
 * in use; or it has changed the project or the tracker, whose members the plan would set back that its file does not name.
 */
export function execute(log: EventLog, step: PlanStep, by: By, planned: Planned): Promise<boolean> {
  switch (step.of) {
    case 'platform':
      return done(
        handle(log, platformDecider, { stream: PLATFORM_STREAM, ...envelope(by), command: () => step.command }),
      );
    case 'user':
      return executeForUser(log, step, by);
    case 'project':
      return executeForProject(log, step, by, planned);
    case 'tracker':
      return executeForTracker(log, step, by, planned);
  }
}

function envelope(metadata: By): Pick<CommandEnvelope<unknown, unknown>, 'commandId' | 'metadata'> {
  return { commandId: randomUUID(), metadata };
}

interface Change<Command> {
  readonly stream: StreamName;
  readonly command: Command;
  readonly by: By;
  readonly planned: Planned;
}

class Outdated extends Error {}

/** False, with nothing written, on another revision than the plan was made on. */
async function asPlanned<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  { stream, command, by, planned }: Change<Command>,
): Promise<boolean> {
  const expected = planned.get(stream);
  const commandFor = ({ revision }: Current<State>): Command => {
    if (expected !== undefined && revision !== expected) throw new Outdated();
    return command;
  };
  try {
    const { revision } = await handle(log, decider, { stream, ...envelope(by), command: commandFor });
    planned.set(stream, revision);
    return true;
  } catch (error) {
    if (error instanceof Outdated) return false;
    throw error;
  }
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
    return reserveAndCreate(log, unique, userKind, { id, creation }, by);
  }
  return done(handle(log, userDecider, { stream: userStream(id), ...envelope(by), command: () => command }));
}

function executeForProject(
  log: EventLog,
  { command, unique }: StepOf<'project'>,
  by: By,
  planned: Planned,
): Promise<boolean> {
  const { projectId: id } = command;
  if (command.type === 'RegisterProject') {
    const { shortname, label, description, access, svn, admins, members, groups } = command;
    const creation = { projectId: id, shortname, label, description, access, svn, admins, members, groups };
    return reserveAndCreate(log, unique, projectKind, { id, creation }, by);
  }
  return asPlanned(log, projectDecider, { stream: projectStream(id), command, by, planned });
}

async function executeForTracker(
  log: EventLog,
  { command, unique }: StepOf<'tracker'>,
  by: By,
  planned: Planned,
): Promise<boolean> {
  const { trackerId: id } = command;
  if (command.type === 'DefineTracker') {
    const { projectId, itemName, label, description, color, admins, permissions, fields, semantics, workflow } =
      command;
    const heading = { trackerId: id, projectId, itemName, label, description, color };
    const creation = { ...heading, admins, permissions, fields, semantics, workflow };
    return reserveAndCreate(log, unique, trackerKind, { id, creation }, by);
  }
  if (!(await asPlanned(log, trackerDecider, { stream: trackerStream(id), command, by, planned }))) return false;
  if (command.type === 'DeleteTracker') await releaseName(log, unique, { id, commandId: randomUUID() }, by);
  return true;
}
