/** A cache of folded streams: a command reads only the new events of its stream. */
import { heapSize } from './bounds.js';
import { fold, type Decider } from './decider.js';
import {
  NO_STREAM,
  type Event,
  type EventLog,
  type Position,
  type Recorded,
  type Revision,
  type StreamName,
} from './event-log.js';
import { streamSlices } from './stream-slices.js';

/** The state of a stream when a command is made for it. */
export interface Current<State> {
  readonly state: State;
  readonly revision: Revision;
  /** Instant of the last event that modifies something; null without one. */
  readonly lastModified: string | null;
  /** Position of the stream's last event; null for an empty stream. */
  readonly end: Position | null;
}

/** The result of folding all events of a stream. */
export interface FoldedStream<State> {
  readonly current: Current<State>;
  /** Null for an empty stream. */
  readonly last: LastEvent | null;
}

interface LastEvent {
  readonly id: string;
  /** UTC instant. */
  readonly at: string;
}

/** Reads only the last event if it summarises the stream. Otherwise reads the events since the last call, or all. */
export async function foldedStream<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  stream: StreamName,
): Promise<FoldedStream<State>> {
  return (await foldedEnd(log, decider, stream)) ?? foldedOnKept(log, decider, stream);
}

/** Null unless the last event summarises the stream. Earlier events may be missing. */
async function foldedEnd<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  stream: StreamName,
): Promise<FoldedStream<State> | null> {
  if (decider.saysAll === undefined) return null;
  const { events } = await log.read<E>(stream, { last: 1 });
  return events.every((event) => decider.saysAll?.(event)) ? foldedOn(decider, events) : null;
}

async function foldedOnKept<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  stream: StreamName,
): Promise<FoldedStream<State>> {
  const kept = keptIn(log);
  const known = kept.get<State>(stream, decider);
  const since = known === undefined ? null : await foldedSince(log, decider, stream, known);
  const folded = since ?? (await foldedWhole(log, decider, stream));
  kept.keep(stream, decider, folded);
  return folded;
}

async function foldedWhole<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  stream: StreamName,
): Promise<FoldedStream<State>> {
  let folded = emptyStream(decider);
  for await (const events of streamSlices<E>(log, stream)) folded = foldedOn(decider, events, folded);
  return folded;
}

/** Null if the stream has other events now: a log can be restored to an older state. */
async function foldedSince<State, E extends Event>(
  log: EventLog,
  decider: Decider<State, never, E>,
  stream: StreamName,
  known: FoldedStream<State>,
): Promise<FoldedStream<State> | null> {
  let folded: FoldedStream<State> | null = null;
  // Reads the last known event again, to compare its id.
  for await (const events of streamSlices<E>(log, stream, known.current.revision)) {
    if (folded === null && events[0]?.id !== known.last?.id) return null;
    folded = folded === null ? foldedOn(decider, events.slice(1), known) : foldedOn(decider, events, folded);
  }
  return folded;
}

export function foldedOn<State, E extends Event>(
  decider: Decider<State, never, E>,
  events: readonly Recorded<E>[],
  from: FoldedStream<State> = emptyStream(decider),
): FoldedStream<State> {
  const last = events.at(-1);
  if (last === undefined) return from;
  const modification = events.findLast((event) => decider.isModification?.(event) ?? true);
  const current = {
    state: fold(decider, events, from.current.state),
    revision: last.revision,
    lastModified: modification?.metadata.at ?? from.current.lastModified,
    end: last.position,
  };
  return { current, last: { id: last.id, at: last.metadata.at } };
}

export function emptyStream<State>({
  initialState,
}: Pick<Decider<State, never, never>, 'initialState'>): FoldedStream<State> {
  return { current: { state: initialState, revision: NO_STREAM, lastModified: null, end: null }, last: null };
}

/** Approximate bytes: for all states of a log (some thousands of artifacts), and for one. */
const KEPT_SIZE = 16 * 1024 * 1024;
const LARGEST_KEPT = 4 * 1024 * 1024;
/** What a state takes beside itself, as measured: the names of its stream and of its last event, and what holds them. */
const ENTRY_SIZE = 400;

interface Kept {
  readonly decider: object;
  readonly folded: FoldedStream<unknown>;
  readonly size: number;
}

/** Two services share nothing. */
const ofLogs = new WeakMap<EventLog, ReturnType<typeof keptStreams>>();

function keptIn(log: EventLog): ReturnType<typeof keptStreams> {
  const kept = ofLogs.get(log) ?? keptStreams();
  ofLogs.set(log, kept);
  return kept;
}

function keptStreams() {
  /** In the order of their last use. */
  const streams = new Map<StreamName, Kept>();
  let total = 0;

  const drop = (stream: StreamName): void => {
    total -= streams.get(stream)?.size ?? 0;
    streams.delete(stream);
  };
  return {
    get: <State>(stream: StreamName, decider: object): FoldedStream<State> | undefined => {
      const found = streams.get(stream);
      if (found?.decider !== decider) return undefined;
      streams.delete(stream);
      streams.set(stream, found);
      // Only this decider's states are kept under it.
      return found.folded as FoldedStream<State>;
    },
    keep: (stream: StreamName, decider: object, folded: FoldedStream<unknown>): void => {
      drop(stream);
      const size = heapSize(folded.current.state, LARGEST_KEPT);
      if (folded.last === null || size > LARGEST_KEPT) return;
      streams.set(stream, { decider, folded, size: size + ENTRY_SIZE });
      total += size + ENTRY_SIZE;
      for (const oldest of streams.keys()) {
        if (total <= KEPT_SIZE) break;
        drop(oldest);
      }
    },
  };
}
