import { type AllStreamResolvedEvent, type Position as StorePosition, type ResolvedEvent } from '@eventstore/db-client';
import { type Batch, type EventHeader, type Position, type Recorded, type StreamName } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { recordedAt } from '../shared/event-json.js';

export type Resolved = AllStreamResolvedEvent | ResolvedEvent;
export type StoredEvent = NonNullable<Resolved['event']>;

/** The streams of this log among all those on the server. */
export interface Names {
  readonly prefix: string;
  /** Throws for a name that would not be found again. */
  readonly inStore: (stream: StreamName) => string;
  /** Null for a stream of another program, or of the server itself. */
  readonly inLog: (storeName: string) => StreamName | null;
}

/** A category has no ".", so that what precedes it is one prefix only, even where another one begins with that. */
const STREAM = /^[^.-]+-/;

export function names(prefix: string): Names {
  if (prefix.startsWith('$')) throw new Error('The prefix of streams begins with $, which is kept for the server');
  if (!prefix.endsWith('.') || prefix.includes('-')) {
    throw new Error('The prefix of streams has to end in ".", and to be without "-"');
  }
  return {
    prefix,
    inStore: (stream) => {
      if (!STREAM.test(stream)) throw new Error(`${stream} is no name of a stream: its category has a "."`);
      return `${prefix}${stream}`;
    },
    inLog: (storeName) => {
      if (storeName.startsWith('$') || !storeName.startsWith(prefix)) return null;
      const stream = storeName.slice(prefix.length);
      return isStreamName(stream) ? stream : null;
    },
  };
}

function isStreamName(text: string): text is StreamName {
  return STREAM.test(text);
}

const POSITION = /^[0-9a-f]{32}$/;
const DIGITS = 16;

/** What a server older than 22.6 says of an event that it reads from a stream. */
const UNKNOWN = 0xffff_ffff_ffff_ffffn;

/** Commit, then prepare, as 16 hex digits each. */
export function positionOf({ commit, prepare }: StorePosition): Position {
  if (commit === UNKNOWN) throw new Error('The EventStoreDB server is too old to tell the positions of events');
  return `${hex(commit)}${hex(prepare)}` as Position;
}

export function storePosition(position: Position): StorePosition {
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return { commit: BigInt(`0x${position.slice(0, DIGITS)}`), prepare: BigInt(`0x${position.slice(DIGITS)}`) };
}

/** By bytes of the server's log: others' events count too. */
export function fractionOf(position: Position, end: Position): number {
  return Math.min(1, Number(storePosition(position).commit) / Math.max(1, Number(storePosition(end).commit)));
}

function hex(part: bigint): string {
  return part.toString(16).padStart(DIGITS, '0');
}

/** Undefined where only a link is left of a deleted event. */
export function positionIn({ event, link }: Resolved): Position | undefined {
  const position = (link ?? event)?.position;
  return position === undefined ? undefined : positionOf(position);
}

export function idIn({ event, link }: Resolved): string | null {
  return (link ?? event)?.id ?? null;
}

/** Null for an event of another program, and where only a link is left. */
export function ownStream({ event }: Resolved, { inLog }: Names): StreamName | null {
  return event === undefined ? null : inLog(event.streamId);
}

/** Where an event stands, for any content. */
export function headerOf(stream: StreamName, { id, type, revision, position }: StoredEvent): EventHeader {
  if (position === undefined) throw new Error(`The server gives no position for an event of ${stream}`);
  if (revision > Number.MAX_SAFE_INTEGER) throw new Error(`${stream} has a revision beyond all reason: ${revision}`);
  return { id, type, stream, revision: Number(revision), position: positionOf(position) };
}

/** An event as it stands in the store, checked: the client lets pass what is no JSON, as a text or as bytes. */
export function recorded(stream: StreamName, event: StoredEvent): Recorded {
  return recordedAt(headerOf(stream, event), event.data, event.metadata);
}

/** About how much memory a value takes up, for batches that stay small. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Uint8Array) return value.length;
  let weight = 16;
  for (const [key, part] of Object.entries(value)) weight += key.length + weightOf(part);
  return weight;
}

/** What a batch looks at, at most: so much that it fits between two of a thread's other duties. */
const BATCH_EVENTS = 500;
const BATCH_WEIGHT = 2 * 1024 * 1024;

export interface BatchSource {
  /** Gives the next event, waiting for it as long as is right; null at the end. */
  readonly next: () => Promise<Resolved | null>;
  /** The next one if it is here: with it a batch goes out as soon as there is no more, rather than when it is full. */
  readonly ready?: () => Promise<Resolved | null>;
}

/** What was read of the server's log. */
interface ScannedEvents {
  /** Null if no event of this log is in it. */
  readonly batch: Batch | null;
  /** Of the last event of any log: a reading that breaks off continues after it. */
  readonly scanned: Position;
}

interface Filling {
  readonly events: Recorded[];
  /** The last event of this log, wanted or not. */
  last: Pick<Batch, 'position' | 'event'> | null;
  scanned: Position | null;
  looked: number;
  weight: number;
}

/** Up to the end of what is sent. An error waits until the events before it have been handed over. */
export async function* batches(
  from: BatchSource,
  log: Names,
  leftOut: readonly string[],
  after: Position | null,
): AsyncGenerator<ScannedEvents, void, void> {
  for (let start = after; ;) {
    const filling: Filling = { events: [], last: null, scanned: start, looked: 0, weight: 0 };
    const add = (resolved: Resolved): void => {
      addTo(filling, resolved, log, leftOut);
    };
    const outcome = await fill(filling, from, add).catch((error: unknown) => ({ error }));
    const { events, last, scanned, looked } = filling;
    if (looked > 0 && scanned !== null) yield { batch: last && { events, ...last }, scanned };
    if (outcome === 'ended') return;
    if (typeof outcome === 'object') throw outcome.error;
    start = scanned;
  }
}

async function fill(
  filling: Readonly<Filling>,
  { next, ready }: BatchSource,
  add: (resolved: Resolved) => void,
): Promise<'ended' | 'filled'> {
  while (filling.looked < BATCH_EVENTS && filling.weight < BATCH_WEIGHT) {
    const more = filling.looked > 0 ? ready : undefined;
    const resolved = await (more ?? next)();
    if (resolved === null) return more === undefined ? 'ended' : 'filled';
    add(resolved);
  }
  return 'filled';
}

function addTo(filling: Filling, resolved: Resolved, log: Names, leftOut: readonly string[]): void {
  const position = positionIn(resolved);
  // The server begins a reading with the event at the given position itself.
  if (position === undefined || (filling.scanned !== null && position <= filling.scanned)) return;
  const { event } = resolved;
  const stream = ownStream(resolved, log);
  if (event !== undefined && stream !== null) {
    if (!leftOut.includes(event.type)) filling.events.push(recorded(stream, event));
    filling.last = { position, event: event.id };
  }
  filling.weight += weightOf(event?.data);
  filling.looked += 1;
  filling.scanned = position;
}
