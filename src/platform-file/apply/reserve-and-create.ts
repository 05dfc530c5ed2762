/**
 * What bears a unique name comes into being in two appends: the name with all that the creation needs, then the
 * creation. Whoever finds a name without its creation can take the second step, with the ids of the first.
 */
import { type EventLog } from '../../core/event-log.js';
import { handle } from '../../core/handle.js';
import { nameHolder, reserveName, type Reservation, type UniqueName } from '../../core/name-reservation.js';
import { projectDecider, type ProjectCommand } from '../../projects/project.js';
import { projectStream, type ProjectEvent } from '../../projects/project-events.js';
import { trackerDecider, type TrackerCommand } from '../../trackers/tracker.js';
import { trackerStream, type TrackerEvent } from '../../trackers/tracker-events.js';
import { userDecider, type UserCommand } from '../../users/user.js';
import { userStream, type UserEvent } from '../../users/user-events.js';

export interface By {
  readonly actor: number | null;
  readonly at: string;
}

/** One kind of thing that bears a unique name: how it is created from what its reservation holds. */
export interface Kind<Creation extends object> {
  readonly create: (log: EventLog, reservation: Reservation<Creation>, by: By) => Promise<unknown>;
}

export const userKind: Kind<Extract<UserEvent, { type: 'UserRegistered' }>['data']> = {
  create: (log, { id, commandId, creation }, metadata) =>
    handle(log, userDecider, {
      stream: userStream(id),
      commandId,
      metadata,
      command: (): UserCommand => ({ type: 'RegisterUser', ...creation }),
    }),
};

export const projectKind: Kind<Extract<ProjectEvent, { type: 'ProjectRegistered' }>['data']> = {
  create: (log, { id, commandId, creation }, metadata) =>
    handle(log, projectDecider, {
      stream: projectStream(id),
      commandId,
      metadata,
      command: (): ProjectCommand => ({ type: 'RegisterProject', ...creation }),
    }),
};

export const trackerKind: Kind<Extract<TrackerEvent, { type: 'TrackerDefined' }>['data']> = {
  create: (log, { id, commandId, creation }, metadata) =>
    handle(log, trackerDecider, {
      stream: trackerStream(id),
      commandId,
      metadata,
      command: (): TrackerCommand => ({ type: 'DefineTracker', ...creation }),
    }),
};

/** False when somebody else had the name first: theirs is created then, not this one. */
export async function reserveAndCreate<Creation extends object>(
  log: EventLog,
  unique: UniqueName,
  { create }: Kind<Creation>,
  { id, creation }: Pick<Reservation<Creation>, 'id' | 'creation'>,
  by: By,
): Promise<boolean> {
  const commandId = `platform-${unique.kind}-${id}`;
  const holder = await reserveName(log, unique, { id, commandId, creation }, by);
  await create(log, holder, by);
  return holder.commandId === commandId;
}

/** Finishes the creation that a name was taken for. Answers its id; null when nobody has the name. */
export async function finishCreation<Creation extends object>(
  log: EventLog,
  unique: UniqueName,
  { create }: Kind<Creation>,
  by: By,
): Promise<number | null> {
  const holder = await nameHolder<Creation>(log, unique);
  if (holder === null) return null;
  await create(log, holder, by);
  return holder.id;
}
