import { fold, type Decider } from './decider.js';
import { eventId } from './event-id.js';
import {
  RevisionConflict,
  type Appended,
  type Event,
  type EventLog,
  type Metadata,
  type NewEvent,
  type Position,
  type Recorded,
  type Revision,
  type StreamName,
} from './event-log.js';
import { Problem } from './problem.js';
import { enqueue } from './concurrency/keyed-queue.js';
import { retryUntil } from './concurrency/retry.js';

/**
 * Of a command that loses its races. The process may be paused during the first try; others win in between, so that
 * whoever pauses for longer only tries less often.
 */
const PATIENCE = { patienceMs: 5000, fewestTries: 3, longestPauseMs: 100 };

/** What a stream holds at the moment a command is made for it. */
export interface Current<State> {
  readonly state: State;
  readonly revision: Revision;
  /** Instant of the last event that modifies something; null without one. */
  readonly lastModified: string | null;
  /** Position of the stream's last event; null for an empty stream. */
  readonly end: Position | null;
}

export interface CommandEnvelope<State, Command> {
  readonly stream: StreamName;
  /** The same for a retry of the same command: its events get the same ids. */
  readonly commandId: string;
  /**
   * Set where several may carry out one command and one of them is to know that it did: its events get ids of their own.
   * They still stand in the stream once.
   */
  readonly attemptId?: string;
  /** The events are at the instant of the stream's last one where that is later. */
  readonly metadata: Pick<Metadata, 'actor' | 'at' | 'requestId'>;
  /** Asked again after every lost race, so preconditions and permissions stand here and hold for what is written upon. */
  readonly command: (current: Current<State>) => Command | Promise<Command>;
  /** Revision of the tracker's definition that the command was validated against. */
  readonly definition?: (command: Command) => Revision | undefined;
}

export interface Handled<State> extends Current<State> {
  /** Null: the command had nothing left to do. */
  readonly position: Position | null;
  /** Whether this attempt wrote the events, if only by an append whose outcome was lost. */
  readonly written: boolean;
}

/**
 * Read, fold, decide, append. Commands on one stream queue inside the process; a race lost to another process starts
 * over from the read after a random pause that grows, and ends as `unavailable` when patience does. A command whose events
 * are in the stream already is answered as it was then: it never writes twice.
 */
export function handle<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  envelope: CommandEnvelope<State, Command>,
): Promise<Handled<State>> {
  return enqueue(log, envelope.stream, () => retryOnConflict(log, decider, envelope));
}

async function retryOnConflict<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  envelope: CommandEnvelope<State, Command>,
): Promise<Handled<State>> {
  const attemptId = envelope.attemptId ?? envelope.commandId;
  const handled = await retryUntil(() => attempt(log, decider, envelope, attemptId), PATIENCE);
  if (handled !== null) return handled;
  throw new Problem('unavailable', `${envelope.stream} is being changed too often right now`, { retryAfter: 1 });
}

/** Null when somebody else wrote first. */
async function attempt<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  { stream, commandId, metadata, command: commandFor, definition }: CommandEnvelope<State, Command>,
  attemptId: string,
): Promise<Handled<State> | null> {
  const { events, revision } = await log.read<E>(stream);
  const last = events.at(-1);
  const end = last?.position ?? null;
  const own = events.findLast((event) => event.metadata.commandId === commandId);
  if (own !== undefined) {
    const upTo = events.filter((event) => event.revision <= own.revision);
    const first = eventId(attemptId, stream, 0);
    const written = events.some(({ id }) => id === first);
    return { ...currentOf(decider, upTo, own.revision), position: own.position, end, written };
  }
  const current = { ...currentOf(decider, events, revision), end };
  const command = await commandFor(current);
  const decided = decider.decide(command, current.state);
  if (decided.length === 0) return { ...current, position: null, written: false };

  const validatedAgainst = definition?.(command);
  const facts = {
    ...metadata,
    at: notBefore(last, metadata.at),
    schema: 1,
    commandId,
    ...(validatedAgainst !== undefined && { definition: validatedAgainst }),
  };
  const appended = await tryAppend(log, stream, revision, withIds(stream, attemptId, decided), facts);
  if (appended === null) return null;
  const state = fold(decider, decided, current.state);
  return { ...appended, state, lastModified: facts.at, end: appended.position, written: true };
}

function currentOf<State, E extends Event>(
  decider: Decider<State, never, E>,
  events: readonly Recorded<E>[],
  revision: Revision,
): Omit<Current<State>, 'end'> {
  const modification = events.findLast((event) => decider.isModification?.(event) ?? true);
  return { state: fold(decider, events), revision, lastModified: modification?.metadata.at ?? null };
}

/** Clocks differ, and are set back. The events of a stream never go back in time. */
function notBefore(last: Recorded | undefined, at: string): string {
  return last !== undefined && Date.parse(last.metadata.at) > Date.parse(at) ? last.metadata.at : at;
}

export function withIds<E extends Event>(
  stream: StreamName,
  commandId: string,
  events: readonly E[],
): readonly NewEvent<E>[] {
  return events.map((event, index) => ({ ...event, id: eventId(commandId, stream, index) }));
}

async function tryAppend(
  log: EventLog,
  stream: StreamName,
  expected: Revision,
  events: readonly NewEvent[],
  metadata: Metadata,
): Promise<Appended | null> {
  try {
    return await log.append(stream, expected, events, metadata);
  } catch (error) {
    if (error instanceof RevisionConflict) return null;
    throw error;
  }
}
