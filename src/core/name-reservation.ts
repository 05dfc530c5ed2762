/** Unique names: the first append to a name's stream wins. */
import { createHash } from 'node:crypto';
import { fold, type Decider } from './decider.js';
import { type Event, type EventLog, type EventReader, type StreamName } from './event-log.js';
import { type EventTypes } from './event-types.js';
import { handle, type CommandEnvelope } from './handle.js';
import { foldText } from './text/spelling.js';

/** `scope`: the project for trackers and svn repositories, else 0. */
export interface UniqueName {
  readonly kind: 'user' | 'project' | 'tracker' | 'svn';
  readonly scope: number;
  readonly name: string;
}

/** Who holds a name, and all that it takes to finish the creation that the name was reserved for. */
export interface Reservation<Creation extends object = object> {
  readonly id: number;
  readonly commandId: string;
  /** The data of the event that creates what bears the name. */
  readonly creation: Creation;
}

/** Stored for ever: extend, never rename. */
export type NameEvent<Creation extends object = object> =
  Event<'NameReserved', UniqueName & Reservation<Creation>> | Event<'NameReleased', UniqueName & { id: number }>;

export const nameEventTypes: EventTypes<NameEvent> = { NameReserved: [], NameReleased: [] };

export type NameCommand<Creation extends object = object> =
  | (UniqueName & Reservation<Creation> & { readonly type: 'ReserveName' })
  | (UniqueName & { readonly type: 'ReleaseName'; readonly id: number });

/** Names of users and projects are the same in upper and lower case. */
export function nameStream({ kind, scope, name }: UniqueName): StreamName {
  const spelling = kind === 'user' || kind === 'project' ? foldText(name) : name.normalize('NFC');
  return `name-${kind}.${scope}.${createHash('sha256').update(spelling).digest('hex')}`;
}

/** A held name stays with its holder, whom the state names. */
export function nameDecider<Creation extends object>(): Decider<
  Reservation<Creation> | null,
  NameCommand<Creation>,
  NameEvent<Creation>
> {
  return {
    initialState: null,

    decide(command, holder) {
      const { kind, scope, name, id } = command;
      switch (command.type) {
        case 'ReserveName': {
          if (holder !== null) return [];
          const { commandId, creation } = command;
          return [{ type: 'NameReserved', data: { kind, scope, name, id, commandId, creation } }];
        }
        case 'ReleaseName':
          return holder?.id === id ? [{ type: 'NameReleased', data: { kind, scope, name, id } }] : [];
      }
    },

    evolve(_, { type, data }) {
      switch (type) {
        case 'NameReserved':
          return { id: data.id, commandId: data.commandId, creation: data.creation };
        case 'NameReleased':
          return null;
      }
    },
  };
}

type By = CommandEnvelope<unknown, unknown>['metadata'];

/** Answers who holds the name from now on: the first to ask, told by the command id. */
export async function reserveName<Creation extends object>(
  log: EventLog,
  unique: UniqueName,
  reservation: Reservation<Creation>,
  metadata: By,
): Promise<Reservation<Creation>> {
  const { kind, scope, name } = unique;
  const command: NameCommand<Creation> = { type: 'ReserveName', kind, scope, name, ...reservation };
  const { state } = await handle(log, nameDecider<Creation>(), {
    stream: nameStream(unique),
    commandId: reservation.commandId,
    metadata,
    command: () => command,
  });
  return state ?? reservation;
}

/** Frees the name if `id` holds it. */
export async function releaseName(
  log: EventLog,
  unique: UniqueName,
  { id, commandId }: { readonly id: number; readonly commandId: string },
  metadata: By,
): Promise<void> {
  const { kind, scope, name } = unique;
  const command: NameCommand = { type: 'ReleaseName', kind, scope, name, id };
  await handle(log, nameDecider(), { stream: nameStream(unique), commandId, metadata, command: () => command });
}

/** The holder of a name, or null when it is free. */
export async function nameHolder<Creation extends object>(
  log: EventReader,
  unique: UniqueName,
): Promise<Reservation<Creation> | null> {
  const { events } = await log.read<NameEvent<Creation>>(nameStream(unique));
  return fold(nameDecider<Creation>(), events);
}
