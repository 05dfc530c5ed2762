import { notBefore, type Clock } from './clock.js';
import { fold, type Decider } from './decider.js';
import { emptyStream, foldedOn, foldedStream, type Current, type FoldedStream } from './folded-streams.js';
import { streamSlices } from './stream-slices.js';
import { eventId, withIds } from './event-id.js';
import {
  RevisionConflict,
  type Appended,
  type Event,
  type EventLog,
  type Metadata,
  type Position,
  type Recorded,
  type Revision,
  type StreamName,
} from './event-log.js';
import { Problem } from './problem.js';
import { enqueue } from './concurrency/keyed-queue.js';
import { retryUntil } from './concurrency/retry.js';

/**
 * Of a command that loses its races. The process may be paused during the first try; other writers win meanwhile, so a
 * longer pause would only mean fewer tries.
 */
const PATIENCE = { patienceMs: 5000, fewestTries: 3, longestPauseMs: 100 };

/** What a command is about to append. */
interface Decided<E extends Event = Event> {
  readonly events: readonly E[];
  readonly metadata: Metadata;
  /** The revision that it is appended to. */
  readonly upon: Revision;
}

/** Asked for before the decision, too. Throws if the command may not be given, or no longer. */
type Actor<Command> = Metadata['actor'] | ((command: Command) => Metadata['actor']);

export interface CommandEnvelope<State, Command, E extends Event = Event> {
  readonly stream: StreamName;
  /** The same for a retry of the same command: its events get the same ids. */
  readonly commandId: string;
  /** No call of `handle` has had the command id before, so that its events are not looked for in the stream. */
  readonly isNew?: true;
  /** Events of the command come after this position only: they are not looked for in a stream that ends before. */
  readonly after?: Position | undefined;
  /** The stream's id was never given out before, so that nothing is read of it unless another writer was faster. */
  readonly isFirst?: boolean;
  /**
   * Set where several may carry out one command and one of them is to know that it did: its events get ids of their own.
   * They still stand in the stream once.
   */
  readonly attemptId?: string;
  /** Never before the stream's last event. A clock is read, and an actor asked for, right before each append. */
  readonly metadata: Pick<Metadata, 'requestId'> & { readonly at: string | Clock; readonly actor: Actor<Command> };
  /** Asked again after every lost race, so preconditions and permissions stand here and hold for what is written upon. */
  readonly command: (current: Current<State>) => Command | Promise<Command>;
  /** Revision of the definition that the command was validated against. */
  readonly definition?: (command: Command) => Revision | undefined;
  /**
   * Between decision and append: takes elsewhere what the events rely on. Returns the command with its claims. Null if
   * another writer was faster: the command is then made again.
   */
  readonly claim?: (command: Command, decided: Decided<E>) => Promise<Command | null>;
}

export interface Handled<State, Command = unknown> extends Current<State> {
  /** As it was last asked for and claimed; null if its events were in the stream before. */
  readonly command: Command | null;
  /** Null: the command had nothing left to do. */
  readonly position: Position | null;
  /** Whether this attempt wrote the events, if only by an append whose outcome was lost. */
  readonly written: boolean;
}

/**
 * Read, fold, ask for the command, decide, claim, append. Commands on one stream queue inside the process. After a race
 * lost to another process, a new attempt starts from the read, after a growing random pause. When patience is over, the
 * command ends as `unavailable`. A command whose events are in the stream already is answered as it was then, and writes
 * nothing.
 */
export function handle<State, Command, E extends Event, Given extends Command>(
  log: EventLog,
  decider: Decider<State, Command, E>,
  envelope: CommandEnvelope<State, Given, E>,
): Promise<Handled<State, Given>> {
  const attemptUpon = (stream: FoldedStream<State>) => attempt(stream, log, decider, envelope);
  const loadAndAttempt = async (): Promise<Handled<State, Given> | null> => {
    const { stream, before } = await load(log, decider, envelope);
    return before ?? attemptUpon(stream);
  };
  return enqueue(log, envelope.stream, async () => {
    const first = envelope.isFirst === true ? await attemptUpon(emptyStream(decider)) : null;
    const handled = first ?? (await retryUntil(loadAndAttempt, PATIENCE));
    if (handled !== null) return handled;
    throw new Problem('unavailable', `${envelope.stream} is in contention; retry later`, { retryAfter: 1 });
  });
}

/** Null when another writer was faster. */
async function attempt<State, Command, E extends Event, Given extends Command>(
  { current, last }: FoldedStream<State>,
  log: EventLog,
  decider: Decider<State, Command, E>,
  envelope: CommandEnvelope<State, Given, E>,
): Promise<Handled<State, Given> | null> {
  const command = await envelope.command(current);
  const metadataNow = (): Metadata => eventMetadata(command, envelope, last?.at);
  const pending = { metadata: metadataNow(), upon: current.revision };
  const events = decider.decide(command, current.state);
  if (events.length === 0) return { ...current, position: null, written: false, command };

  const claimed = envelope.claim === undefined ? command : await envelope.claim(command, { ...pending, events });
  if (claimed === null) return null;
  const metadata = metadataNow();
  const appended = await tryAppend(log, envelope, current.revision, events, metadata);
  if (appended === null) return null;
  const state = fold(decider, events, current.state);
  return { ...appended, state, lastModified: metadata.at, end: appended.position, written: true, command: claimed };
}

interface Loaded<State> {
  readonly stream: FoldedStream<State>;
  /** As the command was answered when its events were written; null before. */
  readonly before: Handled<State, never> | null;
}

async function load<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  envelope: Pick<CommandEnvelope<State, never>, 'stream' | 'commandId' | 'attemptId' | 'isNew' | 'after'>,
): Promise<Loaded<State>> {
  const { isNew = false, after } = envelope;
  if (!isNew && after === undefined) return loadWhole(log, decider, envelope);
  const stream = await foldedStream(log, decider, envelope.stream);
  const endsBefore = (stream.current.end ?? '') <= (after ?? '');
  return isNew || endsBefore ? { stream, before: null } : loadWhole(log, decider, envelope);
}

async function loadWhole<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  envelope: Parameters<typeof load>[2],
): Promise<Loaded<State>> {
  let loaded: Loaded<State> = { stream: emptyStream(decider), before: null };
  for await (const events of streamSlices<E>(log, envelope.stream)) {
    loaded = {
      stream: foldedOn(decider, events, loaded.stream),
      before: handledIn(decider, events, loaded, envelope),
    };
  }
  const { stream, before } = loaded;
  return { stream, before: before && { ...before, end: stream.current.end } };
}

/** Once these events, too, are looked at. */
function handledIn<State, E extends Event>(
  decider: Decider<State, never, E>,
  events: readonly Recorded<E>[],
  { stream, before }: Loaded<State>,
  { stream: name, commandId, attemptId = commandId }: Parameters<typeof load>[2],
): Loaded<State>['before'] {
  const own = events.findLastIndex(({ metadata }) => metadata.commandId === commandId);
  if (own < 0) return before;
  const { current } = foldedOn(decider, events.slice(0, own + 1), stream);
  const first = eventId(attemptId, name, 0);
  const written = before?.written === true || events.some(({ id }) => id === first);
  return { ...current, position: current.end, written, command: null };
}

function eventMetadata<Command>(
  command: Command,
  { commandId, metadata: { at, actor, ...metadata }, definition }: CommandEnvelope<never, Command, never>,
  last: string | undefined,
): Metadata {
  const validatedAgainst = definition?.(command);
  return {
    ...metadata,
    actor: typeof actor === 'function' ? actor(command) : actor,
    at: notBefore(last, typeof at === 'string' ? at : at().toISOString()),
    schema: 1,
    commandId,
    ...(validatedAgainst !== undefined && { definition: validatedAgainst }),
  };
}

async function tryAppend(
  log: EventLog,
  { stream, commandId, attemptId = commandId }: Parameters<typeof load>[2],
  expected: Revision,
  events: readonly Event[],
  metadata: Metadata,
): Promise<Appended | null> {
  try {
    return await log.append(stream, expected, withIds(stream, attemptId, events), metadata);
  } catch (error) {
    if (error instanceof RevisionConflict) return null;
    throw error;
  }
}
