/**
 * What bears a unique name comes into being in two appends: the name with all that the creation needs, then the
 * creation. A process that finds a name without its creation can take the second step, with the ids of the first.
 */
import { type Decider } from '../core/decider.js';
import { type Event, type EventLog, type StreamName } from '../core/event-log.js';
import { handle } from '../core/handle.js';
import { reserveName, type Reservation, type UniqueName } from '../core/name-reservation.js';
import { projectDecider, type ProjectCommand } from '../projects/project.js';
import { projectStream, type ProjectEvent } from '../projects/project-events.js';
import { trackerDecider, type TrackerCommand } from '../trackers/tracker.js';
import { trackerStream, type TrackerEvent } from '../trackers/tracker-events.js';
import { userDecider, type UserCommand } from '../users/user.js';
import { userStream, type UserEvent } from '../users/user-events.js';

export interface By {
  readonly actor: number | null;
  readonly at: string;
}

/** How one kind of thing that bears a unique name is created from what its reservation holds. */
export type Create<Creation extends object> = (
  log: EventLog,
  reservation: Reservation<Creation>,
  by: By,
) => Promise<unknown>;

type DataOf<E extends Event, Type extends E['type']> = Extract<E, { type: Type }>['data'];

/** Of a user or project that is suspended from the first on. */
interface Suspended {
  readonly status?: 'suspended';
}

export const createUser = creation(
  userDecider,
  userStream,
  (data: DataOf<UserEvent, 'UserRegistered'> & Suspended): UserCommand => ({ type: 'RegisterUser', ...data }),
);
export const createProject = creation(
  projectDecider,
  projectStream,
  (data: DataOf<ProjectEvent, 'ProjectRegistered'> & Suspended): ProjectCommand => ({
    type: 'RegisterProject',
    ...data,
  }),
);
export const createTracker = creation(
  trackerDecider,
  trackerStream,
  (data: DataOf<TrackerEvent, 'TrackerDefined'>): TrackerCommand => ({ type: 'DefineTracker', ...data }),
);

function creation<State, Command, E extends Event, Creation extends object>(
  decider: Decider<State, Command, E>,
  streamOf: (id: number) => StreamName,
  commandOf: (data: Creation) => Command,
): Create<Creation> {
  return (log, { id, commandId, creation: data }, metadata) =>
    handle(log, decider, { stream: streamOf(id), commandId, metadata, command: () => commandOf(data) });
}

/** Returns the id of the first holder of the name, which is then created instead. */
export async function reserveAndCreate<Creation extends object>(
  log: EventLog,
  unique: UniqueName,
  create: Create<Creation>,
  { id, creation: data }: Pick<Reservation<Creation>, 'id' | 'creation'>,
  by: By,
): Promise<number> {
  const commandId = `platform-${unique.kind}-${id}`;
  const holder = await reserveName(log, unique, { id, commandId, creation: data }, by);
  await create(log, holder, by);
  return holder.id;
}
