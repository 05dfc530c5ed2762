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
  type Revision,
  type StreamName,
} from './event-log.js';
import { Problem } from './problem.js';
import { inTurn } from './turns.js';

/** How long a command that loses its races goes on trying. */
const PATIENCE_MS = 5000;
const FIRST_PAUSE_MS = 5;
/** Others win in between: whoever pauses for longer only tries less often. */
const LONGEST_PAUSE_MS = 100;

/** What a stream holds at the moment a command is made for it. */
export interface Current<State> {
  readonly state: State;
  readonly revision: Revision;
  /** Instant of the last event; null for an empty stream. */
  readonly lastModified: string | null;
}

export interface CommandEnvelope<State, Command> {
  readonly stream: StreamName;
  /** The same for a retry of the same command: its events get the same ids. */
  readonly commandId: string;
  readonly metadata: Pick<Metadata, 'actor' | 'at' | 'requestId'>;
  /** Asked again after every lost race, so preconditions and permissions stand here and hold for what is written upon. */
  readonly command: (current: Current<State>) => Command | Promise<Command>;
  /** Revision of the tracker's definition that the command was validated against. */
  readonly definition?: (command: Command) => Revision | undefined;
}

export interface Handled<State> extends Current<State> {
  /** Null: the command had nothing left to do. */
  readonly position: Position | null;
}

/**
 * Read, fold, decide, append. Commands on one stream queue inside the process; a race lost to another process starts
 * over from the read after a random pause that grows, and ends as `unavailable` when patience does.
 */
export function handle<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  envelope: CommandEnvelope<State, Command>,
): Promise<Handled<State>> {
  return inTurn(log, envelope.stream, () => untilWritten(log, decider, envelope));
}

async function untilWritten<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  envelope: CommandEnvelope<State, Command>,
): Promise<Handled<State>> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; Date.now() < deadline; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const handled = await attempt(log, decider, envelope);
    if (handled !== null) return handled;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * pause));
  }
  throw new Problem('unavailable', `${envelope.stream} is being changed too often right now`, { retryAfter: 1 });
}

/** Null when somebody else wrote first. */
async function attempt<State, Command, E extends Event>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  { stream, commandId, metadata, command: commandFor, definition }: CommandEnvelope<State, Command>,
): Promise<Handled<State> | null> {
  const { events, revision } = await log.read<E>(stream);
  const current = { state: fold(decider, events), revision, lastModified: events.at(-1)?.metadata.at ?? null };
  const command = await commandFor(current);
  const decided = decider.decide(command, current.state);
  if (decided.length === 0) return { ...current, position: null };

  const validatedAgainst = definition?.(command);
  const facts = {
    ...metadata,
    schema: 1,
    commandId,
    ...(validatedAgainst !== undefined && { definition: validatedAgainst }),
  };
  const appended = await tryAppend(log, stream, revision, withIds(stream, commandId, decided), facts);
  if (appended === null) return null;
  return { ...appended, state: fold(decider, decided, current.state), lastModified: metadata.at };
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
